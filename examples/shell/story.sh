#!/usr/bin/env bash
# The whole story of a client of Vigie: send adverts, search, save a search, receive its webhook. Needs curl, jq and openssl.
set -euo pipefail

vigie=${API_URL:-http://127.0.0.1:8080}
key=${API_KEY:?a key with the scopes read, ingest and searches}
# The receiver: where Vigie reaches it, and the certificate for it.
port=${RECEIVER_PORT:-8443}
certificate=${RECEIVER_CERTIFICATE:-certificate.pem}
certificate_key=${RECEIVER_KEY:-key.pem}
# An older message may be a replay of a recorded one.
tolerance_seconds=300

work=$(mktemp -d)
trap 'kill "${receiver:-}" 2>/dev/null || true; rm -rf "$work"' EXIT

# call METHOD PATH [CURL ARGUMENTS]: prints the body of the response. An error of the API ends the program with its description.
call() {
  local status
  status=$(curl -sS -g -X "$1" "$vigie$2" -o "$work/answer" -w '%{http_code}' \
    -H "X-API-KEY: $key" -H 'Content-Type: application/json' "${@:3}")
  if [ "$status" -ge 400 ]; then
    echo "$1 $2: $status $(jq -r '."hydra:description"' "$work/answer")" >&2
    return 1
  fi
  cat "$work/answer"
  : > "$work/answer"
}

# advert REFERENCE TITLE PRICE SURFACE: an apartment for sale in Tours.
advert() {
  jq -nc --arg reference "$1" --arg title "$2" --argjson price "$3" --argjson surface "$4" \
    '{site: "mon-agence.example", $reference, transactionType: 0, propertyType: 0, zipcode: "37000", cityName: "Tours",
      $title, $price, $surface, room: 2}'
}

# header NAME: the value of a header of the received webhook.
header() {
  sed -n "s/^$1: *//Ip" "$work/head" | tr -d '\r'
}

# Verifies the received webhook. The signature covers id, timestamp and the body exactly as received.
is_genuine() {
  local timestamp age secret_key expected
  timestamp=$(header webhook-timestamp)
  [[ $timestamp =~ ^[0-9]+$ ]] || return 1
  age=$(($(date +%s) - timestamp))
  [ "${age#-}" -le "$tolerance_seconds" ] || return 1
  secret_key=$(printf %s "${secret#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
  expected=v1,$({ printf %s "$(header webhook-id).$timestamp."; cat "$work/body"; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$secret_key" -binary | openssl base64 -A)
  # There are two signatures while the secret is rotated.
  [[ " $(header webhook-signature) " == *" $expected "* ]]
}

run=$(date +%s%N)
for number in $(seq 1 12); do
  advert "$run-$number" "Appartement avec balcon, ${number}e étage" $((180000 + 5000 * number)) $((50 + number))
done | jq -s . > "$work/adverts"
call POST /adverts --data-binary "@$work/adverts" > "$work/receipts"
jq -r '."hydra:member" | "sent \(length) adverts: \(map(.outcome) | unique | join(", "))"' "$work/receipts"

# Every page of the collection.
: > "$work/found"
next="/documents/properties?transactionType=0&budgetMax=300000&includedCities[]=/cities/37261&expressions[]=balcon"
next+="&order[price]=asc&itemsPerPage=5"
while [ -n "$next" ]; do
  call GET "$next" > "$work/page"
  jq -c '."hydra:member"[]' "$work/page" >> "$work/found"
  next=$(jq -r '."hydra:view"."hydra:next" // empty' "$work/page")
done
jq -rs '"found \(length) properties, the cheapest for \(.[0].price) €"' "$work/found"

secret=$(call GET /webhook-secret | jq -r .secret)
# A receiver of one webhook: openssl does TLS, and what it receives and sends goes through pipes.
mkfifo "$work/request" "$work/response"
openssl s_server -accept "127.0.0.1:$port" -naccept 1 -cert "$certificate" -key "$certificate_key" \
  < "$work/response" > "$work/request" &
receiver=$!
exec 3> "$work/response" 4< "$work/request"
# It prints its address as soon as it listens.
until [[ ${line:-} == ACCEPT* ]]; do read -r line <&4; done

search=$(call POST /searches --data @- <<JSON | jq -r '."@id"'
  {"title": "Tours avec balcon", "transactionType": 0, "propertyTypes": [0], "budgetMax": 300000,
   "includedCities": ["/cities/37261"], "expressions": ["balcon"],
   "notificationEnabled": true, "endpointRecipient": "https://127.0.0.1:${line##*:}/matches"}
JSON
)
echo "saved the search $search"

# Only properties that are new or changed from now on match.
receipt=$(call POST /adverts --data "$(advert "$run-13" 'Deux pièces, balcon plein sud' 175000 45)")

# First openssl prints the parameters of the connection. The head of the request ends with an empty line, and gives the length of
# the body.
while IFS= read -r line <&4 && [ "$line" != $'\r' ]; do printf '%s\n' "$line"; done > "$work/head"
head -c "$(header content-length)" <&4 > "$work/body"
if ! is_genuine; then
  printf 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n' >&3
  echo "the message is not from Vigie" >&2
  exit 1
fi
printf 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n' >&3
jq -e --arg search "$search" --argjson receipt "$receipt" \
  '.search == $search and .property == $receipt.property' "$work/body" > "$work/expected"
jq -r '"received a match: \(.propertyDocument.title)"' "$work/body"

call DELETE "$search"
jq -r '."hydra:member"[]."@id"' "$work/receipts" | while read -r sent; do call DELETE "$sent"; done
call DELETE "$(jq -r '."@id"' <<< "$receipt")"
echo "deleted the search and the adverts"
