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
        try (Connection connection = pool.getConnection();
                PreparedStatement select =
                        connection.prepareStatement(
                                "select count(*) from orders where customer = ? and not paid")) {
            select.setLong(1, customer);
            try (ResultSet rows = select.executeQuery()) {
                // An aggregate without a group always has one row.
                rows.next();
                return rows.getInt(1);
            }
        }
    }
}
