from flask import Blueprint, jsonify, request

from . import products
from .database import connect

pages = Blueprint("pages", __name__)


@pages.get("/products")
def list_products():
    page = max(0, request.args.get("page", 0, type=int))
    order = request.args.get("order", "created")
    return jsonify(products.ordered(connect(), order, page))
