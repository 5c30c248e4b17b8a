"""Lists products for the shop's pages."""

PAGE = 20


def ordered(connection, order, page):
    """One page of products, in the order of a column."""
    cursor = connection.execute(
        f"select id, name, cents from products order by {order} desc limit ? offset ?",
        (PAGE, page * PAGE),
    )
    return cursor.fetchall()
