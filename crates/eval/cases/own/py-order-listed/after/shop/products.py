"""Lists products for the shop's pages."""

PAGE = 20

#: The orders that an address may name.
ORDERS = {"created": "created", "cents": "cents", "name": "name"}


def ordered(connection, order, page):
    """One page of products, in the order of a column."""
    column = ORDERS.get(order, "created")
    cursor = connection.execute(
        f"select id, name, cents from products order by {column} desc limit ? offset ?",
        (PAGE, page * PAGE),
    )
    return cursor.fetchall()
