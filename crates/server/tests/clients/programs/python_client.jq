# Prepares the OpenAPI document for openapi-python-client, which makes one Python name of `@id` and `id`, and cannot choose between
# media types whose bodies are alike.
walk(
  if type != "object" then . else
    (if has("application/json") then {"application/json": .["application/json"]} else . end)
    | (if (.properties | type) != "object" then . else
        reduce ("id", "type") as $name (.;
          if .properties | has($name) and has("@" + $name) then
            del(.properties["@" + $name]) | .required -= ["@" + $name]
          else . end)
      end)
  end
)
