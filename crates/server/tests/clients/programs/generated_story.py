"""The story of the examples, with the client that openapi-python-client makes. The receiver is that of the Python example."""

import os
import time

from story import receive
from vigie_client import AuthenticatedClient
from vigie_client.api.adverts import erase_advert, send_adverts
from vigie_client.api.deliveries import webhook_secret
from vigie_client.api.properties import list_properties
from vigie_client.api.searches import create_search, delete_search
from vigie_client.types import UNSET
from vigie_client.models import (
    AdvertDraft,
    AdvertDraftPropertyTypeType0 as PropertyType,
    AdvertDraftTransactionTypeType0 as Transaction,
    Expression,
    ExpressionOptions,
    ListPropertiesOrderprice as Direction,
    ListPropertiesTransactionType as WantedTransaction,
    SearchDraft,
    SearchDraftPropertyTypesType0ItemType0 as WantedType,
    SearchDraftTransactionTypeType0 as SearchTransaction,
)

SALE = 0
APARTMENT = 0
TOURS = "/cities/37261"
PAGE = 5

client = AuthenticatedClient(
    os.environ["API_URL"], os.environ["API_KEY"], prefix="", auth_header_name="X-API-KEY", raise_on_unexpected_status=True
)


def advert(reference, **fields):
    """An apartment for sale in Tours."""
    return AdvertDraft(site="mon-agence.example", reference=reference, transaction_type=Transaction(SALE),
                       property_type=PropertyType(APARTMENT), zipcode="37000", city_name="Tours", room=2, **fields)


run = f"{time.time_ns():x}"
adverts = [advert(f"{run}-{number}", title=f"Appartement avec balcon, {number}e étage", floor=number,
                  price=180_000 + 5_000 * number, surface=50 + number) for number in range(1, 13)]
receipts = send_adverts.sync(client=client, body=adverts).hydramember
print("sent", len(receipts), "adverts:", ", ".join(sorted({str(receipt.outcome) for receipt in receipts})))

found, page = [], None
while page is None or len(page.hydramember) == PAGE:
    number = 1 + len(found) // PAGE
    page = list_properties.sync(
        # The client would send the orders that are the default, and any order replaces them.
        ordercreated_at=UNSET, orderprice_per_meter=UNSET,
        client=client, transaction_type=WantedTransaction(SALE), budget_max=300_000, included_cities=[TOURS],
        expressions00word="balcon", orderprice=Direction.ASC, items_per_page=PAGE, page=number)
    found.extend(page.hydramember)
assert len(found) == page.hydratotal_items
print("found", len(found), "properties, the cheapest for", found[0].price, "€")

messages, endpoint = receive(webhook_secret.sync(client=client).secret)
search = create_search.sync(client=client, body=SearchDraft(
    title="Tours avec balcon", transaction_type=SearchTransaction(SALE), property_types=[WantedType(APARTMENT)],
    budget_max=300_000, included_cities=[TOURS], expressions=[[Expression(word="balcon", options=ExpressionOptions(includes=True, strict=False))]], notification_enabled=True,
    endpoint_recipient=endpoint))
print("saved the search", search.id)

receipt = send_adverts.sync(client=client, body=advert(f"{run}-13", title="Deux pièces, balcon plein sud", price=175_000, surface=45))
match = messages.get(timeout=60)
assert match["search"] == search.id and match["property"] == receipt.property_
print("received a match:", match["propertyDocument"]["title"])

assert delete_search.sync_detailed(search.id.rsplit("/", 1)[1], client=client).status_code == 204
for sent in [*receipts, receipt]:
    assert erase_advert.sync_detailed(sent.uuid, client=client).status_code == 204
print("deleted the search and the adverts")
