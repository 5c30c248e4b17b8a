package example.orders;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Orders in the database. The pool holds ten connections. */
public final class Orders {
    private final DataSource pool;

    public Orders(DataSource pool) {
        this.pool = pool;
    }

    /** Marks an order as paid. */
    public void markPaid(long id) throws SQLException {
        try (Connection connection = pool.getConnection();
                PreparedStatement update =
                        connection.prepareStatement("update orders set paid = true where id = ?")) {
            update.setLong(1, id);
            update.executeUpdate();
        }
    }

    /** How many orders of a customer are not paid. */
    public int countOpen(long customer) throws SQLException {
        Connection connection = pool.getConnection();
        PreparedStatement select =
                connection.prepareStatement(
                        "select count(*), min(customer) from orders where customer = ? and not paid");
        select.setLong(1, customer);
        ResultSet rows = select.executeQuery();
        if (!rows.next() || rows.getObject(2) == null) {
            throw new IllegalArgumentException("unknown customer " + customer);
        }
        int open = rows.getInt(1);
        connection.close();
        return open;
    }
}
