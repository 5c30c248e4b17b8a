package example.orders;

import java.sql.Connection;
import java.sql.PreparedStatement;
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
}
