// Made from docs/openapi.json by `npm run generate`; not edited by hand.

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the collections of the API */
        get: operations["entryPoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/adverts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send one advert, an array of adverts, or a stream of lines */
        post: operations["sendAdverts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/adverts/{uuid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an advert as it was sent */
        get: operations["advert"];
        put?: never;
        post?: never;
        /** Erase an advert */
        delete: operations["eraseAdvert"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/adverts/{uuid}/expire": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mark an advert as no longer published */
        post: operations["expireAdvert"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/adverts/{uuid}/pictures/{n}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a picture of an advert */
        get: operations["advertPicture"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List cities */
        get: operations["cities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a city */
        get: operations["city"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/cities/{id}/outline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the border of a city */
        get: operations["cityOutline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/console/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the session of the cookie */
        get: operations["session"];
        put?: never;
        /** Exchange a key for a session */
        post: operations["signIn"];
        /** End the session of the cookie */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/contexts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the JSON-LD context of a type */
        get: operations["context"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your deliveries */
        get: operations["deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a delivery and its attempts */
        get: operations["delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a delivery again */
        post: operations["replayDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries/{id}/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the request of a webhook */
        get: operations["deliveryRequest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/deliveries/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read how your receivers fare */
        get: operations["deliveryHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/departments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List departments */
        get: operations["departments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/departments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a department */
        get: operations["department"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/departments/{id}/outline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the border of a department */
        get: operations["departmentOutline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the documentation of the API in a browser */
        get: operations["apiPage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the OpenAPI document of the API */
        get: operations["openApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs.jsonld": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the Hydra documentation of the API */
        get: operations["hydraDocumentation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a style sheet or script of the page */
        get: operations["apiPageFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/properties": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Search properties */
        get: operations["listProperties"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/properties.ndjson": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Export all properties that meet filters */
        get: operations["exportProperties"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/properties/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one property */
        get: operations["property"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/properties/{id}/grouping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explain why adverts are one property */
        get: operations["grouping"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/properties/{id}/similar-properties": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the properties most similar to one */
        get: operations["similarProperties"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/properties/by-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Find the property that holds the advert with an address */
        get: operations["propertyByUrl"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/properties/clusters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count the properties of a map's viewport by cell */
        get: operations["clusters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/documents/properties/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count the properties that meet filters by price, surface and other fields */
        get: operations["facets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grouping/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decide whether two adverts are of one property */
        post: operations["decideGrouping"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/grouping/doubtful-pairs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List pairs of adverts that grouping nearly decided the other way */
        get: operations["doubtfulPairs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask whether the process runs */
        get: operations["alive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/indicators/price_per_meter": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Price per square metre of the properties that meet filters, over time */
        get: operations["pricePerMeter"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the API keys */
        get: operations["keys"];
        put?: never;
        /** Create an API key */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an API key */
        get: operations["key"];
        /** Change label, expiry and limit of an API key */
        put: operations["changeKey"];
        post?: never;
        /** Revoke an API key */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/map/{z}/{x}/{y}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a tile of the base map */
        get: operations["mapTile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/matches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a match */
        get: operations["match"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the metrics of the process */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/properties/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Go to the document of a property */
        get: operations["propertyRedirect"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/properties/{id}/split": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move adverts of a property to a new one */
        post: operations["splitProperty"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/properties/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Merge properties into the first one */
        post: operations["mergeProperties"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/location-autocomplete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Suggest cities, departments and stations for what a user types */
        get: operations["autocomplete"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/recipients/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask whether to send e-mails to an address */
        get: operations["recipientPage"];
        put?: never;
        /** Confirm an address for e-mails */
        post: operations["confirmRecipient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask whether the service can answer requests */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/regions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List regions */
        get: operations["regions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/regions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a region */
        get: operations["region"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/searches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your saved searches */
        get: operations["searches"];
        put?: never;
        /** Create a saved search */
        post: operations["createSearch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/searches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a saved search */
        get: operations["search"];
        /** Change a saved search */
        put: operations["updateSearch"];
        /** Change a saved search, for clients that cannot send PUT */
        post: operations["updateSearchByPost"];
        /** Delete a saved search */
        delete: operations["deleteSearch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/searches/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explain why a property matches a search or does not */
        get: operations["explainSearch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/searches/{id}/matches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the matches of a search */
        get: operations["searchMatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/searches/{id}/matches-by-day": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count the matches of a search by day */
        get: operations["searchMatchesByDay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/searches/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count the deliveries of a search that a replay would send again */
        get: operations["replayCount"];
        put?: never;
        /** Send all failed deliveries of a search again */
        post: operations["replaySearch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/searches/matches-by-day": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count the matches of your searches by day */
        get: operations["matchesByDay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/searches/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview what a search would find */
        post: operations["previewSearch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/site_categories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the categories of sites */
        get: operations["siteCategories"];
        put?: never;
        /** Create a category of sites */
        post: operations["createSiteCategory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/site_categories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a category of sites */
        get: operations["siteCategory"];
        /** Rename a category of sites */
        put: operations["renameSiteCategory"];
        post?: never;
        /** Delete a category of sites */
        delete: operations["deleteSiteCategory"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the sites that adverts come from */
        get: operations["sites"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sites/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a site */
        get: operations["site"];
        /** Name or categorise a site */
        put: operations["changeSite"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a station */
        get: operations["station"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read how the server fares, now and over the last day */
        get: operations["status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status/log-level": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Change the log level until the next start */
        put: operations["setLogLevel"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/status/refused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read why adverts were refused */
        get: operations["refusedAdverts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/unsubscribe/{search}/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask whether to end the e-mails of a search */
        get: operations["unsubscribePage"];
        put?: never;
        /** End the e-mails of a search */
        post: operations["unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read what your keys were used for, by day */
        get: operations["usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the secret that signs your webhooks */
        get: operations["webhookSecret"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replace the secret that signs your webhooks */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-tester": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Send a sample webhook at once */
        get: operations["testWebhook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An entry of the history of an advert */
        AdEvent: {
            /**
             * Format: date-time
             * @description When it happened
             */
            createdAt: string;
            /** @description The field that changed, such as price or surface; created or expired for the life of the advert */
            fieldName: string;
            /** @description The value after, of price, surface and expired; null for other fields */
            fieldNewValue: string | null;
            /** @description The value before, of price, surface and expired; null for other fields */
            fieldOldValue: string | null;
            /** @description The change of a price or surface in percent of the old value, with two decimals; negative for a decrease */
            percentVariation: number | null;
        };
        /** @description An entry of the history of an advert, as documents show it */
        AdEventDraft: {
            /** @description When it happened */
            createdAt: string | number;
            /** @description The field that changed; created or null for the creation */
            fieldName: string | null;
            /** @description The value after */
            fieldNewValue?: (string | number) | null;
            /** @description The value before */
            fieldOldValue?: (string | number) | null;
            /** @description The change in percent; computed from the values if both are given */
            percentVariation?: (number | string) | null;
        };
        /** @description What changed, inside a webhook */
        AdEventInWebhook: {
            /** @description The advert that changed (Path of a Advert) */
            advert: string;
            /**
             * Format: date-time
             * @description When it happened
             */
            createdAt: string;
            /** @description The field that changed, such as price or surface; created or expired for the life of the advert */
            fieldName: string;
            /** @description The value after, of price, surface and expired; null for other fields */
            fieldNewValue: string | null;
            /** @description The value before, of price, surface and expired; null for other fields */
            fieldOldValue: string | null;
            /** @description The change of a price or surface in percent of the old value, as text: -2.81 */
            percentVariation: string | null;
        };
        /** @description A listing of one publisher, with everything that it was sent with, so that it can be sent again */
        Advert: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/adverts/{uuid}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The number of bedrooms */
            bedroom: number | null;
            /** @description The name of the city, as given */
            cityName: string | null;
            /** @description Whether the price is plausible */
            coherentPrice: boolean;
            /** @description Condominium fees in euros a year */
            condominiumFees: number | null;
            /** @description The year in which the building was built */
            constructionYear: number | null;
            /** @description Whom to contact. Everything in it is null in the deliveries of a search with hidePropertyContact. */
            contact: components["schemas"]["Contact"];
            /** @description The country as an ISO 3166 code such as BE; absent if the sender gave none */
            country?: string;
            /**
             * Format: date-time
             * @description When the advert was published, as far as known
             */
            createdAt: string;
            /** @description The description, as plain text */
            description: string | null;
            /** @description The name of the neighbourhood */
            district: string | null;
            /** @description Whether the building has a lift */
            elevator: boolean | null;
            /** @description The energy rating; the value is in kWh per square metre and year */
            energy: components["schemas"]["Rating"];
            /** @description The history: the creation, then one entry for each changed field, oldest first */
            events: components["schemas"]["AdEvent"][];
            /** @description Whether one agency alone may sell the property */
            exclusiveMandate: boolean | null;
            /** @description Whether the advert is gone */
            expired: boolean;
            /**
             * Format: date-time
             * @description When it expired; null if it is not expired
             */
            expiredAt: string | null;
            /** @description Short texts such as balcony or cellar */
            features: string[];
            /** @description Agency fees in percent of the price */
            feesPercentage: number | null;
            /**
             * @description Who pays the agency fees (0 Seller, 1 Buyer)
             * @enum {integer|null}
             */
            feesResponsibility: 0 | 1 | null;
            /** @description The floor; 0 is the ground floor, negative numbers are below ground */
            floor: number | null;
            /** @description The number of floors of the building */
            floorQuantity: number | null;
            /** @description Whether the property is furnished */
            furnished: boolean | null;
            /**
             * @description How accurate the coordinates are (1 House number, 2 Neighbourhood or centre of the city)
             * @enum {integer|null}
             */
            geoAccuracy: 1 | 2 | null;
            /** @description The greenhouse-gas rating; the value is in kg of CO2 per square metre and year */
            greenHouseGas: components["schemas"]["Rating"];
            /** @description The heating, in a few words */
            heating: string | null;
            /** @description The INSEE code of the commune, as given */
            insee: string | null;
            /** @description Price of the inventory of fixtures in euros */
            inventoryPrice: number | null;
            /** @description The surface of the land in square metres */
            landSurface: number | null;
            /**
             * Format: date-time
             * @description When the advert was last seen
             */
            lastCrawledAt: string;
            /** @description What a buyer pays for a life annuity. Both values are null for any other sale. */
            lifeAnnuity: components["schemas"]["LifeAnnuity"];
            /** @description The coordinates, as given */
            locations: components["schemas"]["Point"] | null;
            /** @description The number of lots of the condominium */
            lotCount: number | null;
            /** @description The lots of a new-building programme. All values are null for any other sale. */
            newBuilding: components["schemas"]["NewBuilding"];
            /** @description Whether it is sold with a tenant or another occupant */
            occupied: boolean | null;
            /** @description The number of parking spaces */
            parkingCount: number | null;
            /** @description Copies of the pictures */
            pictures: string[];
            /** @description The pictures on the site of the publisher */
            picturesRemote: string[];
            /** @description The price in euros with fees; of a rental, the rent */
            price: number | null;
            /** @description The price in euros without agency fees */
            priceExcludingFees: number | null;
            /**
             * @description What is wrong with the price; null if nothing is
             *
             *     - `noPrice`: No price: on request, or left out
             *     - `placeholder`: A number that stands for no price, such as 1
             *     - `belowBounds`: Below what such a property costs anywhere
             *     - `aboveBounds`: Above what such a property costs anywhere
             *     - `rentInSale`: The price of a sale is an ordinary rent
             *     - `salePriceInRent`: The rent is an ordinary price of a sale
             *     - `yearlyRent`: The rent is an ordinary one for a year
             *     - `nightlyRent`: The rent is an ordinary one for a night
             *     - `tenfold`: About ten times what is usual around there
             *     - `tenth`: About a tenth of what is usual
             *     - `hundredfold`: About a hundred times what is usual: a lost decimal comma
             *     - `hundredth`: About a hundredth of what is usual
             *     - `outlier`: Far from what is usual, for none of these reasons
             * @enum {string|null}
             */
            priceProblem: "noPrice" | "placeholder" | "belowBounds" | "aboveBounds" | "rentInSale" | "salePriceInRent" | "yearlyRent" | "nightlyRent" | "tenfold" | "tenth" | "hundredfold" | "hundredth" | "outlier" | null;
            /** @description The property that the advert belongs to (Path of a Property) */
            property: string;
            /** @description Property tax in euros a year */
            propertyTax: number | null;
            /**
             * @description The type of property (0 Apartment, 1 House, 2 Building, 3 Parking, 4 Office, 5 Land, 6 Shop)
             * @enum {integer}
             */
            propertyType: 0 | 1 | 2 | 3 | 4 | 5 | 6;
            /** @description Who published the advert */
            publisher: components["schemas"]["Publisher"];
            /** @description The id of the advert on its site */
            reference: string | null;
            /** @description Charges of a rental in euros */
            rentalCharges: number | null;
            /** @description Deposit in euros */
            rentalPledge: number | null;
            /** @description Agency fees of the tenant in euros */
            renterFees: number | null;
            /**
             * @description How often the rent is due
             *
             *     - `month`: Every month
             *     - `week`: Every week
             *     - `day`: Every day or night
             *     - `season`: For a season
             *     - `year`: Every year
             * @enum {string|null}
             */
            rentPeriod: "month" | "week" | "day" | "season" | "year" | null;
            /** @description The number of rooms, without kitchen and bathroom */
            room: number | null;
            /** @description The site that the advert is from: a domain or a name */
            site: string | null;
            /** @description The living surface in square metres */
            surface: number | null;
            /** @description The title */
            title: string | null;
            /**
             * @description For sale or to let (0 Sell, 1 Rent)
             * @enum {integer}
             */
            transactionType: 0 | 1;
            /**
             * Format: date-time
             * @description When the advert last changed
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description The page of the advert on its site
             */
            url: string | null;
            /**
             * Format: uuid
             * @description The id of the advert
             */
            uuid: string;
            /**
             * Format: uri
             * @description The page of a virtual tour
             */
            virtualTour: string | null;
            /** @description The zipcode, as given */
            zipcode: string | null;
        };
        /** @description A page of `Advert` */
        AdvertCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Advert"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description Why two adverts are one property, or not */
        AdvertComparison: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/documents/properties/{id}/grouping` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The two adverts */
            adverts: components["schemas"]["ComparedAdvert"][];
            /** @description What speaks for and against one property */
            evidence: components["schemas"]["Evidence"][];
            /** @description Below this score, an advert whose facts changed leaves its property */
            keepThreshold: number;
            /** @description Whether they are in one property */
            oneProperty: boolean;
            /** @description The sum of the points of the evidence; null if one of the adverts has no known commune */
            score: number | null;
            /** @description The result in a few sentences */
            summary: string;
            /** @description From this score on, an advert joins the property of the other */
            threshold: number;
            /**
             * @description What a person decided about the two; counts more than score and veto
             *
             *     - `same`: One property
             *     - `different`: Different properties
             * @enum {string|null}
             */
            verdict: "same" | "different" | null;
            /**
             * @description Why the two cannot be one property, whatever their score; null if nothing forbids it
             *
             *     - `notComparable`: Another commune, transaction or kind of property
             *     - `bothLiveOnOneSite`: Both are live on one site under different references
             *     - `unitMarks`: Their texts number different units, such as lot 12 and lot 14
             *     - `twoMandates`: Spaces or plots of one agency with two of its references
             *     - `programme`: One is a programme of several units, the other a unit
             *     - `farApart`: Their prices or their surfaces are far apart
             * @enum {string|null}
             */
            veto: "notComparable" | "bothLiveOnOneSite" | "unitMarks" | "twoMandates" | "programme" | "farApart" | null;
        };
        /** @description A page of `AdvertComparison` */
        AdvertComparisonCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["AdvertComparison"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description An advert to create or update. An absent field keeps its value, and null or an empty list clears it. The advert is identified by uuid, else by site and reference, else by url. */
        AdvertDraft: {
            /** @description The number of bedrooms */
            bedroom?: (number | string) | null;
            /** @description The name of the city */
            cityName?: (string | number) | null;
            /** @description Condominium fees in euros a year */
            condominiumFees?: (number | string) | null;
            /** @description The year in which the building was built */
            constructionYear?: (number | string) | null;
            /** @description Whom to contact. Replaces the former contact as a whole. */
            contact?: components["schemas"]["ContactDraft"] | null;
            /** @description The country, as a code or a name; France if absent */
            country?: string | null;
            /** @description The same as country */
            countryCode?: string | null;
            /** @description When the advert was published; the time of receipt if unknown */
            createdAt?: (string | number) | null;
            /** @description The description, at most 65,536 characters. HTML becomes plain text. */
            description?: (string | number) | null;
            /** @description The name of the neighbourhood; it does not decide the place */
            district?: (string | number) | null;
            /** @description Whether the building has a lift */
            elevator?: (boolean | number | string) | null;
            /** @description The energy rating; the value is in kWh per square metre and year */
            energy?: (components["schemas"]["RatingDraft"] | string) | null;
            /** @description History that Vigie may not know, at most 1,000 entries */
            events?: components["schemas"]["AdEventDraft"][] | null;
            /** @description Whether one agency alone may sell the property */
            exclusiveMandate?: (boolean | number | string) | null;
            /** @description Whether the advert is gone; false brings it back */
            expired?: (boolean | number | string) | null;
            /** @description When it expired */
            expiredAt?: (string | number) | null;
            /** @description Short texts such as balcony or cellar, at most 200 */
            features?: ((string | number)[] | string) | null;
            /** @description Agency fees in percent of the price, 0 to 100 */
            feesPercentage?: (number | string) | null;
            /** @description Who pays the agency fees */
            feesResponsibility?: ((0 | 1) | string) | null;
            /** @description The floor; 0 is the ground floor, negative numbers are below ground */
            floor?: (number | string) | null;
            /** @description The number of floors of the building */
            floorQuantity?: (number | string) | null;
            /** @description Whether the property is furnished */
            furnished?: (boolean | number | string) | null;
            /** @description How accurate the coordinates are */
            geoAccuracy?: ((1 | 2) | string) | null;
            /** @description The greenhouse-gas rating; the value is in kg of CO2 per square metre and year */
            greenHouseGas?: (components["schemas"]["RatingDraft"] | string) | null;
            /** @description The heating, in a few words */
            heating?: (string | number) | null;
            /** @description The INSEE code of the commune */
            insee?: (string | number) | null;
            /** @description Price of the inventory of fixtures in euros */
            inventoryPrice?: (number | string) | null;
            /** @description The surface of the land in square metres */
            landSurface?: (number | string) | null;
            /** @description When the advert was seen; the time of receipt if absent. The latest crawl wins. */
            lastCrawledAt?: (string | number) | null;
            /** @description What a buyer pays for a life annuity. An advert that gives one of the values is one. */
            lifeAnnuity?: components["schemas"]["LifeAnnuityDraft"] | null;
            /** @description The same as locations */
            location?: (components["schemas"]["PointDraft"] | (number | string)[] | string) | null;
            /** @description The coordinates */
            locations?: (components["schemas"]["PointDraft"] | (number | string)[] | string) | null;
            /** @description The number of lots of the condominium */
            lotCount?: (number | string) | null;
            /** @description The lots of a new-building programme. An advert that gives one of the values is one. */
            newBuilding?: components["schemas"]["NewBuildingDraft"] | null;
            /** @description Whether it is sold with a tenant or another occupant */
            occupied?: (boolean | number | string) | null;
            /** @description The number of parking spaces, 0 to 1,000 */
            parkingCount?: (number | string) | null;
            /** @description Copies of the pictures, at most 200 */
            pictures?: (string[] | string) | null;
            /** @description The pictures on the site of the publisher, at most 200 */
            picturesRemote?: (string[] | string) | null;
            /** @description The price in euros with fees; of a rental, the rent */
            price?: (number | string) | null;
            /** @description The price in euros without agency fees */
            priceExcludingFees?: (number | string) | null;
            /** @description The price at earlier dates */
            priceHistory?: components["schemas"]["PricePoint"][] | null;
            /** @description The property that the advert belongs to: a uuid or a path. Without it, Vigie groups the advert itself. */
            property?: string | null;
            /** @description Property tax in euros a year */
            propertyTax?: (number | string) | null;
            /** @description The type of property */
            propertyType: (0 | 1 | 2 | 3 | 4 | 5 | 6) | string;
            /** @description Who published the advert */
            publisher?: components["schemas"]["PublisherDraft"] | null;
            /** @description The id of the advert on its site */
            reference?: (string | number) | null;
            /** @description Charges of a rental in euros */
            rentalCharges?: (number | string) | null;
            /** @description Deposit in euros */
            rentalPledge?: (number | string) | null;
            /** @description Agency fees of the tenant in euros */
            renterFees?: (number | string) | null;
            /** @description How often the rent is due */
            rentPeriod?: (("month" | "week" | "day" | "season" | "year") | string) | null;
            /** @description The number of rooms, without kitchen and bathroom */
            room?: (number | string) | null;
            /** @description The site that the advert is from: a domain, a URL, a name, a path or an id. Taken from url if absent. */
            site?: (string | number) | null;
            /** @description The living surface in square metres */
            surface?: (number | string) | null;
            /** @description The title, at most 1,000 characters */
            title?: (string | number) | null;
            /** @description For sale or to let */
            transactionType: (0 | 1) | string;
            /** @description When the advert last changed */
            updatedAt?: (string | number) | null;
            /**
             * Format: uri
             * @description The page of the advert on its site, at most 2,048 bytes
             */
            url?: string | null;
            /** @description The id of the advert: a uuid or its path */
            uuid?: string | null;
            /**
             * Format: uri
             * @description The page of a virtual tour
             */
            virtualTour?: string | null;
            /** @description The zipcode */
            zipcode?: (string | number) | null;
        };
        /** @description An advert inside the document of its property */
        AdvertInProperty: {
            /** @description The number of bedrooms */
            bedroom: number | null;
            /** @description Whether the price is plausible */
            coherentPrice: boolean;
            /** @description Condominium fees in euros a year */
            condominiumFees: number | null;
            /** @description The year in which the building was built */
            constructionYear: number | null;
            /** @description Whom to contact. Everything in it is null in the deliveries of a search with hidePropertyContact. */
            contact: components["schemas"]["Contact"];
            /**
             * Format: date-time
             * @description When the advert was published, as far as known
             */
            createdAt: string;
            /** @description The description, as plain text */
            description: string | null;
            /** @description The name of the neighbourhood */
            district: string | null;
            /** @description Whether the building has a lift */
            elevator: boolean | null;
            /** @description The energy rating; the value is in kWh per square metre and year */
            energy: components["schemas"]["Rating"];
            /** @description The history: the creation, then one entry for each changed field, oldest first */
            events: components["schemas"]["AdEvent"][];
            /** @description Whether one agency alone may sell the property */
            exclusiveMandate: boolean | null;
            /** @description Whether the advert is gone */
            expired: boolean;
            /**
             * Format: date-time
             * @description When it expired; null if it is not expired
             */
            expiredAt: string | null;
            /** @description Short texts such as balcony or cellar */
            features: string[];
            /** @description Agency fees in percent of the price */
            feesPercentage: number | null;
            /**
             * @description Who pays the agency fees (0 Seller, 1 Buyer)
             * @enum {integer|null}
             */
            feesResponsibility: 0 | 1 | null;
            /** @description The floor; 0 is the ground floor, negative numbers are below ground */
            floor: number | null;
            /** @description The number of floors of the building */
            floorQuantity: number | null;
            /** @description Whether the property is furnished */
            furnished: boolean | null;
            /** @description The greenhouse-gas rating; the value is in kg of CO2 per square metre and year */
            greenHouseGas: components["schemas"]["Rating"];
            /** @description The heating, in a few words */
            heating: string | null;
            /** @description Price of the inventory of fixtures in euros */
            inventoryPrice: number | null;
            /** @description The surface of the land in square metres */
            landSurface: number | null;
            /**
             * Format: date-time
             * @description When the advert was last seen
             */
            lastCrawledAt: string;
            /** @description What a buyer pays for a life annuity. Both values are null for any other sale. */
            lifeAnnuity: components["schemas"]["LifeAnnuity"];
            /** @description The number of lots of the condominium */
            lotCount: number | null;
            /** @description The lots of a new-building programme. All values are null for any other sale. */
            newBuilding: components["schemas"]["NewBuilding"];
            /** @description Whether it is sold with a tenant or another occupant */
            occupied: boolean | null;
            /** @description The number of parking spaces */
            parkingCount: number | null;
            /** @description Copies of the pictures */
            pictures: string[];
            /** @description The pictures on the site of the publisher */
            picturesRemote: string[];
            /** @description The price in euros with fees; of a rental, the rent */
            price: number | null;
            /** @description The price in euros without agency fees */
            priceExcludingFees: number | null;
            /**
             * @description What is wrong with the price; null if nothing is
             *
             *     - `noPrice`: No price: on request, or left out
             *     - `placeholder`: A number that stands for no price, such as 1
             *     - `belowBounds`: Below what such a property costs anywhere
             *     - `aboveBounds`: Above what such a property costs anywhere
             *     - `rentInSale`: The price of a sale is an ordinary rent
             *     - `salePriceInRent`: The rent is an ordinary price of a sale
             *     - `yearlyRent`: The rent is an ordinary one for a year
             *     - `nightlyRent`: The rent is an ordinary one for a night
             *     - `tenfold`: About ten times what is usual around there
             *     - `tenth`: About a tenth of what is usual
             *     - `hundredfold`: About a hundred times what is usual: a lost decimal comma
             *     - `hundredth`: About a hundredth of what is usual
             *     - `outlier`: Far from what is usual, for none of these reasons
             * @enum {string|null}
             */
            priceProblem: "noPrice" | "placeholder" | "belowBounds" | "aboveBounds" | "rentInSale" | "salePriceInRent" | "yearlyRent" | "nightlyRent" | "tenfold" | "tenth" | "hundredfold" | "hundredth" | "outlier" | null;
            /** @description Property tax in euros a year */
            propertyTax: number | null;
            /** @description Who published the advert */
            publisher: components["schemas"]["Publisher"];
            /** @description Charges of a rental in euros */
            rentalCharges: number | null;
            /** @description Deposit in euros */
            rentalPledge: number | null;
            /** @description Agency fees of the tenant in euros */
            renterFees: number | null;
            /**
             * @description How often the rent is due
             *
             *     - `month`: Every month
             *     - `week`: Every week
             *     - `day`: Every day or night
             *     - `season`: For a season
             *     - `year`: Every year
             * @enum {string|null}
             */
            rentPeriod: "month" | "week" | "day" | "season" | "year" | null;
            /** @description The number of rooms, without kitchen and bathroom */
            room: number | null;
            /** @description The site that the advert is from: a domain or a name */
            site: string | null;
            /** @description The living surface in square metres */
            surface: number | null;
            /** @description The title */
            title: string | null;
            /**
             * Format: date-time
             * @description When the advert last changed
             */
            updatedAt: string;
            /**
             * Format: uri
             * @description The page of the advert on its site
             */
            url: string | null;
            /**
             * Format: uuid
             * @description The id of the advert
             */
            uuid: string;
            /**
             * Format: uri
             * @description The page of a virtual tour
             */
            virtualTour: string | null;
        };
        /** @description What became of an advert that was sent. It is written once the advert is durable. */
        AdvertReceipt: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description The path of the advert; absent if it was refused (Path of a Advert) */
            "@id"?: string;
            /** @description Name of the type */
            "@type": string;
            /** @description The names of fields that are not known */
            ignored: string[];
            /** @description The number of the line in a stream, from 1; absent otherwise */
            line?: number;
            /**
             * @description What became of it
             *
             *     - `created`: A new advert
             *     - `updated`: Something changed
             *     - `unchanged`: Nothing changed
             *     - `rejected`: Refused, for the reasons in violations
             * @enum {string}
             */
            outcome: "created" | "updated" | "unchanged" | "rejected";
            /**
             * @description How certain the place is; absent if it did not change
             *
             *     - `exact`: The given place is unambiguous
             *     - `likely`: A spelling was corrected, or one of several places was selected
             *     - `inside`: Only the coordinates were usable: the place whose outline contains them
             *     - `nearest`: Only the coordinates were usable: the place with the nearest centre
             *     - `unknown`: No place was found
             * @enum {string}
             */
            placeCertainty?: "exact" | "likely" | "inside" | "nearest" | "unknown";
            /** @description The property that it belongs to; absent if it was refused (Path of a Property) */
            property?: string;
            /** @description The reference of a refused advert, as given */
            reference?: string;
            /** @description The address of a refused advert, as given */
            url?: string;
            /**
             * Format: uuid
             * @description The id of the advert; absent if it was refused
             */
            uuid?: string;
            /** @description Why it was refused; absent otherwise */
            violations?: components["schemas"]["ConstraintViolation"][];
            /** @description Values that were left out or changed, and accepted values that look wrong; absent if there are none */
            warnings?: components["schemas"]["ConstraintViolation"][];
        };
        /** @description A page of `AdvertReceipt` */
        AdvertReceiptCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["AdvertReceipt"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description The criteria on adverts, for one advert */
        AdvertResult: {
            /** @description The advert (Path of a Advert) */
            advert: string;
            /** @description The criteria */
            criteria: components["schemas"]["CriterionResult"][];
            /** @description Whether all of them hold */
            held: boolean;
        };
        /** @description A header of a response */
        AnswerHeader: {
            /** @description The name, in lower case */
            name: string;
            /** @description The value, cut after 1,024 bytes */
            value: string;
        };
        /** @description An attempt to send a message */
        Attempt: {
            /** @description The first 1,024 bytes of the response */
            answer: string | null;
            /** @description The headers of the response of a webhook receiver, at most 50 and 4,096 bytes */
            answerHeaders: components["schemas"]["AnswerHeader"][];
            /**
             * Format: date-time
             * @description When it began
             */
            beganAt: string;
            /** @description What is wrong with the certificate of the receiver, and what to do; null otherwise */
            detail: string | null;
            /** @description How long it took, in milliseconds */
            durationMs: number;
            /** @description The number of the attempt, from 1 */
            number: number;
            /**
             * @description How it ended
             *
             *     - `delivered`: The receiver answered 200, or the mail server accepted the e-mail
             *     - `policy_refused`: The host is, or resolves to, a blocked address
             *     - `dns`: The host name could not be resolved
             *     - `connect`: The connection failed
             *     - `tls`: The certificate is not valid for the host, or the TLS handshake failed
             *     - `timeout`: The receiver took too long
             *     - `closed`: The connection ended before the response
             *     - `protocol`: The response is not valid HTTP
             *     - `too_large`: The response headers are too large
             *     - `status`: The receiver answered with another status
             *     - `rejected`: The mail server rejected the e-mail permanently
             *     - `interrupted`: Unknown: the process ended during the attempt
             * @enum {string}
             */
            outcome: "delivered" | "policy_refused" | "dns" | "connect" | "tls" | "timeout" | "closed" | "protocol" | "too_large" | "status" | "rejected" | "interrupted";
            /** @description The status that the receiver answered with */
            status: number | null;
            /** @description The URL or e-mail address that it was sent to */
            target: string | null;
            /** @description How long its phases took */
            timings: components["schemas"]["Timings"];
        };
        /** @description The properties with values in a range */
        Bucket: {
            /** @description Their number */
            count: number;
            /** @description The least value */
            from: number;
            /** @description The end, which belongs to the next bucket */
            to: number;
        };
        /** @description A setting that differs from its default */
        ChangedSetting: {
            /** @description The default value */
            default: string;
            /** @description The name, such as `limits.requests_max` */
            name: string;
            /** @description The value; `(hidden)` if it is a secret */
            value: string;
        };
        /** @description The criteria on changes, for the closest change */
        ChangeResult: {
            /** @description The advert of the closest change; null if there was none (Path of a Advert) */
            advert: string | null;
            /** @description The number of changes considered */
            count: number;
            /**
             * Format: date-time
             * @description When the closest change happened
             */
            createdAt: string | null;
            /** @description The criteria */
            criteria: components["schemas"]["CriterionResult"][];
            /**
             * @description The field that changed
             *
             *     - `price`: The price
             *     - `surface`: The surface
             * @enum {string}
             */
            fieldName: "price" | "surface";
            /** @description Whether one change meets all of them */
            held: boolean;
        };
        /** @description A commune, or a district of Paris, Lyon or Marseille */
        City: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/cities/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The article that the name begins with, such as Le */
            article: string | null;
            /** @description The id of the city that a district belongs to */
            cityParentId: number | null;
            /** @description The country. Its id is the ISO 3166 number. */
            country: components["schemas"]["Division"] | null;
            /** @description The department */
            department: components["schemas"]["Division"] | null;
            /** @description All names of the commune: its own, then those of its districts and former communes */
            groupedCityNames: string[];
            /** @description All zipcodes of the commune */
            groupedCityZipcodes: string[];
            /** @description Whether the commune has several names */
            hasGroupedByName: boolean;
            /** @description Whether the commune has several zipcodes */
            hasGroupedByZipcode: boolean;
            /** @description The id: the INSEE code as a number (2A is 201, 2B is 202) */
            id: number | null;
            /** @description The INSEE code */
            insee: string | null;
            /** @description The official name */
            libelle: string;
            /** @description The centre of the commune */
            locations: components["schemas"]["Point"] | null;
            /** @description The name */
            name: string | null;
            /** @description Whether it is inhabited */
            open: boolean;
            /** @description The official name */
            originalName: string | null;
            /** @description The path of the outline as GeoJSON, or null if there is none. Absent in lists. (Path of a Outline) */
            outline?: string | null;
            /** @description The number of inhabitants */
            population: number;
            /** @description The region */
            region: components["schemas"]["Division"] | null;
            /** @description The name in lower case without accents, with hyphens, as in the addresses of pages */
            slug: string;
            /** @description The zipcode: that of the property, else the main one of the commune */
            zipcode: string | null;
        };
        /** @description A page of `City` */
        CityCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["City"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description The commune of a property. If it is not in the reference geography, only what the sender gave is known. */
        CityInProperty: {
            /** @description The id of the city that a district belongs to */
            cityParentId: number | null;
            /** @description The country. Its id is the ISO 3166 number. */
            country: components["schemas"]["Division"] | null;
            /** @description The department */
            department: components["schemas"]["Division"] | null;
            /** @description All names of the commune: its own, then those of its districts and former communes */
            groupedCityNames: string[];
            /** @description All zipcodes of the commune */
            groupedCityZipcodes: string[];
            /** @description Whether the commune has several names */
            hasGroupedByName: boolean;
            /** @description Whether the commune has several zipcodes */
            hasGroupedByZipcode: boolean;
            /** @description The id: the INSEE code as a number (2A is 201, 2B is 202) */
            id: number | null;
            /** @description The INSEE code */
            insee: string | null;
            /** @description The centre of the commune */
            locations: components["schemas"]["Point"] | null;
            /** @description The name */
            name: string | null;
            /** @description Whether it is inhabited */
            open: boolean;
            /** @description The official name */
            originalName: string | null;
            /** @description The region */
            region: components["schemas"]["Division"] | null;
            /** @description The zipcode: that of the property, else the main one of the commune */
            zipcode: string | null;
        };
        /** @description A city that a search names. Everything but the path is null if it no longer exists. */
        CityInSearch: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/cities/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The article that the name begins with, such as Le */
            article: string | null;
            /** @description The INSEE code */
            insee: string | null;
            /** @description The official name */
            libelle: string | null;
            /** @description The name */
            name: string | null;
            /** @description The main zipcode */
            zipcode: string | null;
        };
        /** @description A page of `CityInSearch` */
        CityInSearchCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["CityInSearch"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description The commune of a property inside a webhook */
        CityInWebhook: {
            /** @description The id of the city that a district belongs to */
            cityParentId: number | null;
            /** @description The country. Its id is the ISO 3166 number. */
            country: components["schemas"]["Division"] | null;
            /** @description The department */
            department: components["schemas"]["Division"] | null;
            /** @description All names of the commune: its own, then those of its districts and former communes */
            groupedCityNames: string[];
            /** @description All zipcodes of the commune */
            groupedCityZipcodes: string[];
            /** @description Whether the commune has several names */
            hasGroupedByName: boolean;
            /** @description Whether the commune has several zipcodes */
            hasGroupedByZipcode: boolean;
            /** @description The id: the INSEE code as a number (2A is 201, 2B is 202) */
            id: number | null;
            /** @description The INSEE code */
            insee: string | null;
            /** @description The centre of the commune */
            location: components["schemas"]["Point"] | null;
            /** @description The name */
            name: string | null;
            /** @description Whether it is inhabited */
            open: boolean;
            /** @description The official name */
            originalName: string | null;
            /** @description The region */
            region: components["schemas"]["Division"] | null;
            /** @description The zipcode: that of the property, else the main one of the commune */
            zipcode: string | null;
        };
        /** @description A comparison with another advert */
        ClosestAdvert: {
            /** @description The other advert (Path of a Advert) */
            advert: string;
            /** @description What speaks for and against one property */
            evidence: components["schemas"]["Evidence"][];
            /** @description Below this score, an advert whose facts changed leaves its property */
            keepThreshold: number;
            /** @description The sum of the points of the evidence; null if one of the adverts has no known commune */
            score: number | null;
            /** @description The result in a few sentences */
            summary: string;
            /** @description From this score on, an advert joins the property of the other */
            threshold: number;
            /**
             * @description What a person decided about the two; counts more than score and veto
             *
             *     - `same`: One property
             *     - `different`: Different properties
             * @enum {string|null}
             */
            verdict: "same" | "different" | null;
            /**
             * @description Why the two cannot be one property, whatever their score; null if nothing forbids it
             *
             *     - `notComparable`: Another commune, transaction or kind of property
             *     - `bothLiveOnOneSite`: Both are live on one site under different references
             *     - `unitMarks`: Their texts number different units, such as lot 12 and lot 14
             *     - `twoMandates`: Spaces or plots of one agency with two of its references
             *     - `programme`: One is a programme of several units, the other a unit
             *     - `farApart`: Their prices or their surfaces are far apart
             * @enum {string|null}
             */
            veto: "notComparable" | "bothLiveOnOneSite" | "unitMarks" | "twoMandates" | "programme" | "farApart" | null;
        };
        /** @description The properties of one cell */
        ClusterCell: {
            /** @description The cell in degrees: west, south, east, north */
            bounds: number[];
            /** @description Their number */
            count: number;
            /** @description The latitude of their mean position on the map, in degrees */
            latitude: number;
            /** @description The longitude of their mean position on the map, in degrees */
            longitude: number;
        };
        /** @description The properties of a viewport, counted by cell or one by one */
        Clusters: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description Name of the type */
            "@type": string;
            /** @description The cells with several properties, from north-west to south-east */
            cells: components["schemas"]["ClusterCell"][];
            /** @description The properties that no cell counts, in the order of their ids */
            properties: components["schemas"]["MapProperty"][];
            /** @description The time that the server took to count them, in milliseconds */
            took: number;
            /** @description The number of properties that meet the filters and are located within the bounds */
            totalItems: number;
        };
        /** @description A page of `Clusters` */
        ClustersCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Clusters"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A page of a list */
        Collection: {
            /** @description The JSON-LD context of the members (Path of a Context) */
            "@context": string;
            /** @description The path of the list, without parameters (Path of a Collection) */
            "@id": string;
            /**
             * @description The type
             * @constant
             */
            "@type": "hydra:Collection";
            /** @description The members on this page */
            "hydra:member": unknown[];
            /** @description The parameters of the list. Absent in the answer to a list of adverts. */
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description The number of members on all pages */
            "hydra:totalItems": number;
            /** @description The links to other pages. Absent if there is one page and no parameter. */
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description One of two adverts that are compared */
        ComparedAdvert: {
            /** @description The path of the advert (Path of a Advert) */
            "@id": string;
            /** @description The property that it belongs to (Path of a Property) */
            property: string;
            /** @description Its id on the site */
            reference: string | null;
            /** @description The site that it is from */
            site: string | null;
            /**
             * Format: uri
             * @description Its page on the site
             */
            url: string | null;
            /**
             * Format: uuid
             * @description Its id
             */
            uuid: string;
        };
        /** @description One thing that is wrong with a request, or a warning about a value */
        ConstraintViolation: {
            /**
             * @description A word for programs
             *
             *     - `malformed`: The wrong type, or a reference to something that does not exist
             *     - `missing`: A required value is missing or blank
             *     - `invalid`: Well-formed, but out of bounds
             *     - `contradiction`: In conflict with another value or with stored data
             *     - `too_many`: Over a limit on the number of values
             * @enum {string}
             */
            code: "malformed" | "missing" | "invalid" | "contradiction" | "too_many";
            /** @description What is wrong, with the value */
            message: string;
            /** @description The field or parameter; empty for the whole request */
            propertyPath: string;
        };
        /** @description The error of a request that can be read and breaks a rule (422) */
        ConstraintViolationList: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description Name of the type */
            "@type": string;
            /** @description The same as hydra:description */
            detail: string;
            /** @description What is wrong. Several violations are on several lines. */
            "hydra:description": string;
            /** @description A fixed title */
            "hydra:title": string;
            /** @description The HTTP status */
            status: number;
            /** @description The same as hydra:title */
            title: string;
            /** @description The type of error: /errors/ and the status (Path of a ErrorType) */
            type: string;
            /** @description Everything that is wrong with the request */
            violations: components["schemas"]["ConstraintViolation"][];
        };
        /** @description A page of `ConstraintViolationList` */
        ConstraintViolationListCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["ConstraintViolationList"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description Whom to contact about an advert */
        Contact: {
            /** @description The name of the agency */
            agency: string | null;
            /** @description An e-mail address */
            email: string | null;
            /** @description A fax number */
            fax: string | null;
            /** @description The name of a person */
            name: string | null;
            /** @description A telephone number */
            phone: string | null;
            /** @description The reference of the agency for the property */
            reference: string | null;
        };
        /** @description Whom to contact about an advert */
        ContactDraft: {
            /** @description The name of the agency */
            agency?: (string | number) | null;
            /** @description An e-mail address */
            email?: (string | number) | null;
            /** @description A fax number */
            fax?: (string | number) | null;
            /** @description The name of a person */
            name?: (string | number) | null;
            /** @description A telephone number */
            phone?: (string | number) | null;
            /** @description The reference of the agency for the property */
            reference?: (string | number) | null;
        };
        /** @description A criterion and what was found */
        CriterionResult: {
            /** @description The fields of the search that set the criterion */
            filters: string[];
            /** @description The value of the property or advert; null if it is unknown */
            found: (boolean | number | string | components["schemas"]["FoundValue"]) | null;
            /** @description Whether the criterion holds */
            held: boolean;
            /** @description The value that the search asks for */
            wanted: boolean | components["schemas"]["WantedValue"];
        };
        /** @description The matches of a search on one day */
        DayMatches: {
            /** @description The day, in the time zone of the service (`YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS`, or ISO 8601) */
            day: string;
            /** @description The number of matches */
            matches: number;
        };
        /** @description A message that was sent or will be, by webhook or e-mail. The id is the webhook-id of the message. */
        Delivery: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/deliveries/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The number of attempts so far */
            attemptCount: number;
            /**
             * @description The field of the search that holds the destination
             *
             *     - `endpointRecipient`: Webhook about a match
             *     - `eventEndpoint`: Webhook about an event
             *     - `notificationRecipient`: E-mail about a match
             * @enum {string}
             */
            channel: "endpointRecipient" | "eventEndpoint" | "notificationRecipient";
            /**
             * Format: date-time
             * @description When it was created
             */
            createdAt: string;
            /**
             * @description What it is about
             *
             *     - `match`: A property started to meet the search
             *     - `ad.update.price`: The price of an advert changed
             *     - `ad.update.surface`: The surface of an advert changed
             *     - `ad.update.pictures`: The pictures of an advert changed
             *     - `ad.update.expired`: An advert expired
             *     - `property.ad.create`: A new advert
             *     - `property.ad.update`: Any other field of an advert changed
             * @enum {string}
             */
            event: "match" | "ad.update.price" | "ad.update.surface" | "ad.update.pictures" | "ad.update.expired" | "property.ad.create" | "property.ad.update";
            /** @description The match; null if the data was erased (Path of a Match) */
            match: string | null;
            /**
             * Format: date-time
             * @description When it is sent next; null unless it is pending
             */
            nextAttemptAt: string | null;
            /** @description The property; null if the data was erased (Path of a Property) */
            property: string | null;
            /**
             * @description Why it was cancelled, or what it waits for; null otherwise
             *
             *     - `disabled`: Notifications of the search were off when it was due
             *     - `search_deleted`: The search was deleted
             *     - `no_recipient`: The search no longer has a destination or no longer subscribes to the event
             *     - `erased`: The data that it refers to was erased
             *     - `channel_off`: This server does not send by this channel
             *     - `damaged`: The stored record that it is about is damaged; replay it once the operator has repaired it
             *     - `unconfirmed`: The recipient of e-mails has not confirmed the address: if the delivery is pending, it waits for that
             * @enum {string|null}
             */
            reason: "disabled" | "search_deleted" | "no_recipient" | "erased" | "channel_off" | "damaged" | "unconfirmed" | null;
            /** @description The saved search; null if it was deleted (Path of a Search) */
            search: string | null;
            /** @description The number of the message among those of its search and channel, from 1; webhooks carry it as x-sequence */
            sequence: number;
            /**
             * Format: date-time
             * @description When it was delivered, failed or cancelled
             */
            settledAt: string | null;
            /**
             * @description The state
             *
             *     - `pending`: Waiting to be sent
             *     - `leased`: An attempt is in progress
             *     - `delivered`: The receiver accepted it
             *     - `failed`: Six attempts failed, or a mail server rejected it permanently
             *     - `cancelled`: It will not be sent
             * @enum {string}
             */
            state: "pending" | "leased" | "delivered" | "failed" | "cancelled";
        };
        /** @description A page of `Delivery` */
        DeliveryCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Delivery"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description How the receivers of a user fare */
        DeliveryHealth: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/deliveries/health` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description By receiver, the one with the most attempts first */
            hosts: components["schemas"]["HostHealth"][];
            /** @description Whether all attempts are counted; false if there are more than 100,000 */
            isComplete: boolean;
            /**
             * Format: date-time
             * @description Deliveries created from then on are counted
             */
            since: string;
        };
        /** @description A page of `DeliveryHealth` */
        DeliveryHealthCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["DeliveryHealth"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description The request of a webhook, as an attempt sends it */
        DeliveryRequest: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/deliveries/{id}/request` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The body, exactly as it is signed */
            body: string;
            /** @description The headers, signed with the present secret */
            headers: {
                [key: string]: string;
            };
            /** @description POST */
            method: string;
            /** @description What the signature covers before the body: id and time, each with a full stop */
            signedPrefix: string;
            /** @description Where the attempt went; null if there was none yet */
            url: string | null;
        };
        /** @description A page of `DeliveryRequest` */
        DeliveryRequestCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["DeliveryRequest"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A delivery with its attempts */
        DeliveryWithAttempts: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/deliveries/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The number of attempts so far */
            attemptCount: number;
            /** @description The attempts, oldest first */
            attempts: components["schemas"]["Attempt"][];
            /**
             * @description The field of the search that holds the destination
             *
             *     - `endpointRecipient`: Webhook about a match
             *     - `eventEndpoint`: Webhook about an event
             *     - `notificationRecipient`: E-mail about a match
             * @enum {string}
             */
            channel: "endpointRecipient" | "eventEndpoint" | "notificationRecipient";
            /**
             * Format: date-time
             * @description When it was created
             */
            createdAt: string;
            /**
             * @description What it is about
             *
             *     - `match`: A property started to meet the search
             *     - `ad.update.price`: The price of an advert changed
             *     - `ad.update.surface`: The surface of an advert changed
             *     - `ad.update.pictures`: The pictures of an advert changed
             *     - `ad.update.expired`: An advert expired
             *     - `property.ad.create`: A new advert
             *     - `property.ad.update`: Any other field of an advert changed
             * @enum {string}
             */
            event: "match" | "ad.update.price" | "ad.update.surface" | "ad.update.pictures" | "ad.update.expired" | "property.ad.create" | "property.ad.update";
            /** @description The match; null if the data was erased (Path of a Match) */
            match: string | null;
            /**
             * Format: date-time
             * @description When it is sent next; null unless it is pending
             */
            nextAttemptAt: string | null;
            /** @description The property; null if the data was erased (Path of a Property) */
            property: string | null;
            /**
             * @description Why it was cancelled, or what it waits for; null otherwise
             *
             *     - `disabled`: Notifications of the search were off when it was due
             *     - `search_deleted`: The search was deleted
             *     - `no_recipient`: The search no longer has a destination or no longer subscribes to the event
             *     - `erased`: The data that it refers to was erased
             *     - `channel_off`: This server does not send by this channel
             *     - `damaged`: The stored record that it is about is damaged; replay it once the operator has repaired it
             *     - `unconfirmed`: The recipient of e-mails has not confirmed the address: if the delivery is pending, it waits for that
             * @enum {string|null}
             */
            reason: "disabled" | "search_deleted" | "no_recipient" | "erased" | "channel_off" | "damaged" | "unconfirmed" | null;
            /** @description The saved search; null if it was deleted (Path of a Search) */
            search: string | null;
            /** @description The number of the message among those of its search and channel, from 1; webhooks carry it as x-sequence */
            sequence: number;
            /**
             * Format: date-time
             * @description When it was delivered, failed or cancelled
             */
            settledAt: string | null;
            /**
             * @description The state
             *
             *     - `pending`: Waiting to be sent
             *     - `leased`: An attempt is in progress
             *     - `delivered`: The receiver accepted it
             *     - `failed`: Six attempts failed, or a mail server rejected it permanently
             *     - `cancelled`: It will not be sent
             * @enum {string}
             */
            state: "pending" | "leased" | "delivered" | "failed" | "cancelled";
        };
        /** @description A page of `DeliveryWithAttempts` */
        DeliveryWithAttemptsCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["DeliveryWithAttempts"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A department */
        Department: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/departments/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The name of its capital */
            chefLieu: string | null;
            /** @description The code, such as 37 or 2A */
            code: string;
            /** @description The same as code */
            departmentCode: string;
            /** @description The id: the code as a number (2A is 201, 2B is 202) */
            id: number;
            /** @description The name */
            name: string;
            /** @description The name in lower case without accents */
            nameClean: string;
            /** @description The path of the outline as GeoJSON, or null if there is none. Absent in lists. (Path of a Outline) */
            outline?: string | null;
            /** @description The region */
            region: components["schemas"]["Division"];
        };
        /** @description A page of `Department` */
        DepartmentCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Department"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A department that a search names. Everything but the path is null or absent if it no longer exists. */
        DepartmentInSearch: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/departments/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The name of its capital */
            chefLieu: string | null;
            /** @description The code, such as 37 or 2A */
            code?: string;
            /** @description The same as code */
            departmentCode: string | null;
            /** @description The id */
            id?: number;
            /** @description The name */
            name: string | null;
            /** @description The name in lower case without accents */
            nameClean: string | null;
            /** @description The region */
            region?: components["schemas"]["Division"];
        };
        /** @description A page of `DepartmentInSearch` */
        DepartmentInSearchCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["DepartmentInSearch"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A country, region or department, inside another place */
        Division: {
            /** @description The code */
            code: string;
            /** @description The id: the code as a number */
            id: number;
            /** @description The name */
            name: string;
        };
        /** @description One of two adverts that a person should compare */
        DoubtfulAdvert: {
            /** @description The path of the advert (Path of a Advert) */
            "@id": string;
            /** @description The number of bedrooms */
            bedroom: number | null;
            /** @description The name of the commune */
            cityName: string | null;
            /** @description The year of construction */
            constructionYear: number | null;
            /**
             * Format: date-time
             * @description When the advert was first received
             */
            createdAt: string;
            /** @description The first 2,000 characters of the description */
            description: string | null;
            /** @description The energy rating, in kWh/m² per year */
            energy: components["schemas"]["Rating"];
            /**
             * Format: date-time
             * @description When it left its site; null while it is there
             */
            expiredAt: string | null;
            /** @description The floor */
            floor: number | null;
            /** @description The greenhouse-gas rating, in kg/m² per year */
            greenHouseGas: components["schemas"]["Rating"];
            /** @description The area of the land in m² */
            landSurface: number | null;
            /**
             * Format: date-time
             * @description When it was last seen on its site
             */
            lastCrawledAt: string;
            /** @description The number of pictures, at `/adverts/{uuid}/pictures/0` and so on */
            pictureCount: number;
            /** @description The price in euros; the rent in a rental */
            price: number | null;
            /** @description The property that it belongs to (Path of a Property) */
            property: string;
            /**
             * @description The type of property (0 Apartment, 1 House, 2 Building, 3 Parking, 4 Office, 5 Land, 6 Shop)
             * @enum {integer}
             */
            propertyType: 0 | 1 | 2 | 3 | 4 | 5 | 6;
            /** @description Its id on the site */
            reference: string | null;
            /** @description The number of rooms */
            room: number | null;
            /** @description The site that it is from */
            site: string | null;
            /** @description The living area in m² */
            surface: number | null;
            /** @description The title */
            title: string | null;
            /**
             * @description Sale or rental (0 Sell, 1 Rent)
             * @enum {integer}
             */
            transactionType: 0 | 1;
            /**
             * Format: uri
             * @description Its page on the site
             */
            url: string | null;
            /**
             * Format: uuid
             * @description Its id
             */
            uuid: string;
            /** @description The zipcode, as sent */
            zipcode: string | null;
        };
        /** @description Two adverts that grouping nearly decided the other way */
        DoubtfulPair: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/documents/properties/{id}/grouping` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The two adverts. If they are in one property, the second is the one that little evidence holds there. */
            adverts: components["schemas"]["DoubtfulAdvert"][];
            /** @description What speaks for and against one property */
            evidence: components["schemas"]["Evidence"][];
            /** @description Below this score, an advert whose facts changed leaves its property */
            keepThreshold: number;
            /** @description The score that decides: `threshold` or `keepThreshold`, whichever is nearer */
            neededScore: number;
            /** @description Whether they are in one property */
            oneProperty: boolean;
            /** @description The sum of the points of the evidence; null if one of the adverts has no known commune */
            score: number | null;
            /** @description The result in a few sentences */
            summary: string;
            /** @description From this score on, an advert joins the property of the other */
            threshold: number;
            /**
             * @description What a person decided about the two; counts more than score and veto
             *
             *     - `same`: One property
             *     - `different`: Different properties
             * @enum {string|null}
             */
            verdict: "same" | "different" | null;
            /**
             * @description Why the two cannot be one property, whatever their score; null if nothing forbids it
             *
             *     - `notComparable`: Another commune, transaction or kind of property
             *     - `bothLiveOnOneSite`: Both are live on one site under different references
             *     - `unitMarks`: Their texts number different units, such as lot 12 and lot 14
             *     - `twoMandates`: Spaces or plots of one agency with two of its references
             *     - `programme`: One is a programme of several units, the other a unit
             *     - `farApart`: Their prices or their surfaces are far apart
             * @enum {string|null}
             */
            veto: "notComparable" | "bothLiveOnOneSite" | "unitMarks" | "twoMandates" | "programme" | "farApart" | null;
        };
        /** @description A page of `DoubtfulPair` */
        DoubtfulPairCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["DoubtfulPair"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A word and where it was found */
        EntryResult: {
            /** @description Where the word is; null if it is in no text */
            foundIn: components["schemas"]["Passage"] | null;
            /** @description Whether the entry holds */
            held: boolean;
            /** @description How it is searched */
            options: components["schemas"]["ExpressionOptions"];
            /** @description The word or phrase */
            word: string;
        };
        /** @description An error. Hydra clients read the keys with hydra:, others those of RFC 9457. */
        Error: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description Name of the type */
            "@type": string;
            /** @description The same as hydra:description */
            detail: string;
            /** @description What is wrong. Several violations are on several lines. */
            "hydra:description": string;
            /** @description A fixed title */
            "hydra:title": string;
            /** @description What the receiver of a test webhook did; only if it did not answer 200 */
            receiver?: components["schemas"]["Receiver"];
            /** @description The HTTP status */
            status: number;
            /** @description The same as hydra:title */
            title: string;
            /** @description The type of error: /errors/ and the status (Path of a ErrorType) */
            type: string;
            /** @description Everything that is wrong with the request */
            violations?: components["schemas"]["ConstraintViolation"][];
        };
        /** @description A page of `Error` */
        ErrorCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Error"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description Something that speaks for or against one property */
        Evidence: {
            /** @description The values, in a few words */
            detail: string;
            /**
             * @description What was observed
             *
             *     - `place`: How many homes the place has: equal facts mean less in a big city
             *     - `propertyType`: The types of property
             *     - `price`: The prices
             *     - `surface`: The surfaces
             *     - `landSurface`: The surfaces of the land
             *     - `rooms`: The numbers of rooms
             *     - `bedrooms`: The numbers of bedrooms
             *     - `floor`: The floors
             *     - `floorQuantity`: The numbers of floors of the building
             *     - `constructionYear`: The years of construction
             *     - `energy`: The energy and greenhouse-gas ratings
             *     - `charges`: The charges
             *     - `deposit`: The deposits
             *     - `renterFees`: The fees of the tenant
             *     - `propertyTax`: The property taxes
             *     - `lotCount`: The numbers of lots
             *     - `elevator`: With or without a lift
             *     - `furnished`: Furnished or not
             *     - `heating`: The heating
             *     - `coordinates`: The distance between the coordinates
             *     - `phone`: The telephone numbers
             *     - `agency`: The agencies
             *     - `mandate`: The references of the agency
             *     - `site`: Both are live on one site
             *     - `pictures`: Pictures in common
             *     - `street`: The street that the texts name
             *     - `text`: Passages in common
             *     - `numbers`: Numbers in the texts
             *     - `words`: Rare words in the texts
             *     - `features`: Features that both texts name, such as a well or a balcony
             *     - `unitMark`: Numbers of units in the texts
             *     - `anotherUnit`: The text of one agency with another price and surface, or another floor
             * @enum {string}
             */
            name: "place" | "propertyType" | "price" | "surface" | "landSurface" | "rooms" | "bedrooms" | "floor" | "floorQuantity" | "constructionYear" | "energy" | "charges" | "deposit" | "renterFees" | "propertyTax" | "lotCount" | "elevator" | "furnished" | "heating" | "coordinates" | "phone" | "agency" | "mandate" | "site" | "pictures" | "street" | "text" | "numbers" | "words" | "features" | "unitMark" | "anotherUnit";
            /** @description Its weight; negative if it speaks against one property */
            points: number;
        };
        /** @description Why a property meets a saved search or not */
        Explanation: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/searches/{id}/explain` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The criteria on adverts, for each advert, the closest one first; all must hold on one advert */
            adverts: components["schemas"]["AdvertResult"][];
            /** @description The criteria on changes of price and of surface */
            changes: components["schemas"]["ChangeResult"][];
            /** @description The criteria on the property; all must hold */
            criteria: components["schemas"]["CriterionResult"][];
            /** @description The groups of words; one of them must hold */
            expressions: components["schemas"]["ExpressionResult"][];
            /** @description Whether the property meets all criteria */
            held: boolean;
            /** @description Whether there is a match already */
            matched: boolean;
            /** @description Whether an advert is not expired. A property that is not on offer makes no match. */
            onOffer: boolean;
            /** @description The property (Path of a Property) */
            property: string;
            /** @description The saved search (Path of a Search) */
            search: string;
            /** @description The result in a few sentences */
            summary: string;
        };
        /** @description A page of `Explanation` */
        ExplanationCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Explanation"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A line of an export: a property document whose adverts can be sent to another service */
        ExportedProperty: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/documents/properties/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The adverts of the property, in the order in which they joined it */
            adverts: components["schemas"]["Advert"][];
            /** @description The number of bedrooms */
            bedroom: number | null;
            /** @description The commune, or what the sender gave if the commune is not known */
            city: components["schemas"]["CityInProperty"] | null;
            /** @description Whether the price is plausible */
            coherentPrice: boolean;
            /**
             * Format: date-time
             * @description When the earliest advert was created
             */
            createdAt: string;
            /** @description The description, as plain text */
            description: string | null;
            /** @description The name of the neighbourhood */
            district: string | null;
            /** @description Whether the building has a lift */
            elevator: boolean | null;
            /** @description Whether all adverts are expired: the property is no longer on offer */
            expired: boolean;
            /**
             * Format: date-time
             * @description When the last advert expired; null unless all are expired
             */
            expiredAt: string | null;
            /** @description The floor; 0 is the ground floor, negative numbers are below ground */
            floor: number | null;
            /** @description Whether the property is furnished */
            furnished: boolean | null;
            /**
             * @description How accurate the coordinates are (1 House number, 2 Neighbourhood or centre of the city)
             * @enum {integer|null}
             */
            geoAccuracy: 1 | 2 | null;
            /** @description The surface of the land in square metres */
            landSurface: number | null;
            /**
             * Format: uuid
             * @description The uuid of the reference advert: the most recently seen one that is not expired, or the most recently seen one if all are expired
             */
            lastCrawledAdvert: string;
            /**
             * Format: date-time
             * @description When an advert that is not expired was last seen; null if all are expired
             */
            lastCrawledAt: string | null;
            /** @description The same as locations */
            location: components["schemas"]["Point"] | null;
            /** @description The coordinates: those of an advert, else the centre of the commune */
            locations: components["schemas"]["Point"] | null;
            /** @description The pictures of the reference advert, then those of the others, without repeats */
            pictures: string[];
            /** @description The price in euros; of a rental, the rent. Of a new-building programme, that of the smallest lot. */
            price: number | null;
            /** @description The price divided by the surface, in euros per square metre, with two decimals; null for a life annuity */
            pricePerMeter: number | null;
            /**
             * @description What is wrong with the price; null if nothing is
             *
             *     - `noPrice`: No price: on request, or left out
             *     - `placeholder`: A number that stands for no price, such as 1
             *     - `belowBounds`: Below what such a property costs anywhere
             *     - `aboveBounds`: Above what such a property costs anywhere
             *     - `rentInSale`: The price of a sale is an ordinary rent
             *     - `salePriceInRent`: The rent is an ordinary price of a sale
             *     - `yearlyRent`: The rent is an ordinary one for a year
             *     - `nightlyRent`: The rent is an ordinary one for a night
             *     - `tenfold`: About ten times what is usual around there
             *     - `tenth`: About a tenth of what is usual
             *     - `hundredfold`: About a hundred times what is usual: a lost decimal comma
             *     - `hundredth`: About a hundredth of what is usual
             *     - `outlier`: Far from what is usual, for none of these reasons
             * @enum {string|null}
             */
            priceProblem: "noPrice" | "placeholder" | "belowBounds" | "aboveBounds" | "rentInSale" | "salePriceInRent" | "yearlyRent" | "nightlyRent" | "tenfold" | "tenth" | "hundredfold" | "hundredth" | "outlier" | null;
            /** @description The path that other objects name the property by (Path of a Property) */
            property: string;
            /**
             * @description The type of property (0 Apartment, 1 House, 2 Building, 3 Parking, 4 Office, 5 Land, 6 Shop)
             * @enum {integer}
             */
            propertyType: 0 | 1 | 2 | 3 | 4 | 5 | 6;
            /** @description The types of the publishers of its adverts, without repeats */
            publisherTypes: (0 | 1)[];
            /** @description The number of rooms, without kitchen and bathroom. Of a new-building programme, that of the smallest lot. */
            room: number | null;
            /** @description The stations within walking distance of coordinates that an advert gave, nearest first */
            stations: components["schemas"]["Station"][];
            /** @description The living surface in square metres. Of a new-building programme, that of the smallest lot. */
            surface: number | null;
            /** @description The title */
            title: string | null;
            /**
             * @description For sale or to let (0 Sell, 1 Rent)
             * @enum {integer}
             */
            transactionType: 0 | 1;
            /**
             * Format: date-time
             * @description When an advert last changed
             */
            updatedAt: string;
            /**
             * Format: uuid
             * @description The id of the property
             */
            uuid: string;
        };
        /** @description A page of `ExportedProperty` */
        ExportedPropertyCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["ExportedProperty"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A word or phrase to look for in the texts of a property */
        Expression: {
            /** @description How it is searched */
            options: components["schemas"]["ExpressionOptions"];
            /** @description The word or phrase. Case and accents do not matter. */
            word: string;
        };
        /** @description How a word is searched */
        ExpressionOptions: {
            /** @description Whether the word must be there (true) or must not (false) */
            includes: boolean;
            /** @description Whether only this very form counts (true), or other endings and abbreviations as well (false) */
            strict: boolean;
        };
        /** @description A group of words, all of which must hold */
        ExpressionResult: {
            /** @description The words */
            entries: components["schemas"]["EntryResult"][];
            /** @description Whether all of them hold */
            held: boolean;
        };
        /** @description Histograms of the properties that meet filters */
        Facets: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description Name of the type */
            "@type": string;
            /** @description A histogram for each field, without the filters on the field itself */
            facets: {
                [key: string]: components["schemas"]["Histogram"];
            };
            /** @description The number of properties that meet all filters */
            totalItems: number;
        };
        /** @description A page of `Facets` */
        FacetsCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Facets"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description What was found, if it is more than a number, a text or a boolean. Only the keys that apply are there. */
        FoundValue: {
            /** @description The path of a site (Path of a Site) */
            "@id"?: string;
            /** @description The places of the search that contain it */
            among?: (number | string | components["schemas"]["NamedItem"])[];
            /** @description The city of the property */
            city?: (number | string | components["schemas"]["NamedItem"]) | null;
            /** @description The department of the property */
            department?: (number | string | components["schemas"]["NamedItem"]) | null;
            /** @description The distance from the centre of the circle in kilometres */
            distanceKm?: number;
            /** @description The latitude of the property in degrees */
            lat?: number;
            /** @description The longitude of the property in degrees */
            lon?: number;
            /** @description The name of a site */
            name?: string | null;
            /** @description The polygon that contains it, counted from 0; null if none does */
            polygon?: number | null;
            /** @description The zipcode of the property */
            zipcode?: (number | string | components["schemas"]["NamedItem"]) | null;
        };
        /** @description A GeoJSON geometry */
        Geometry: {
            /** @description Rings of points, the outer ring first. Each point is a longitude and a latitude in degrees. */
            coordinates: number[][][] | number[][][][];
            /**
             * @description One area or several
             *
             *     - `Polygon`: One area, with its holes
             *     - `MultiPolygon`: Several areas
             * @enum {string}
             */
            type: "Polygon" | "MultiPolygon";
        };
        /** @description An advert and what put it into its property */
        GroupedAdvert: {
            /** @description The path of the advert (Path of a Advert) */
            "@id": string;
            /** @description The comparison with the advert of the property that scores highest; null if there is no other */
            closest: components["schemas"]["ClosestAdvert"] | null;
            /**
             * @description What put it there
             *
             *     - `first`: The advert that the others joined
             *     - `sender`: Its sender named the property
             *     - `person`: A person put it there
             *     - `evidence`: It is alike enough
             * @enum {string}
             */
            groupedBy: "first" | "sender" | "person" | "evidence";
            /** @description Its id on the site */
            reference: string | null;
            /** @description The site that it is from */
            site: string | null;
            /**
             * Format: uri
             * @description Its page on the site
             */
            url: string | null;
            /**
             * Format: uuid
             * @description Its id
             */
            uuid: string;
        };
        /** @description What a person decided about two adverts, and what followed */
        GroupingDecision: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description Name of the type */
            "@type": string;
            /**
             * @description What followed from it
             *
             *     - `merged`: Their properties are one now
             *     - `split`: The second advert has a property of its own now
             *     - `remembered`: They were grouped like that already
             * @enum {string}
             */
            action: "merged" | "split" | "remembered";
            /** @description The two adverts */
            adverts: string[];
            /** @description The adverts that are in another property than before */
            moved: string[];
            /** @description The properties of the two adverts now, in their order */
            properties: string[];
            /**
             * @description The decision
             *
             *     - `same`: One property
             *     - `different`: Different properties
             * @enum {string}
             */
            verdict: "same" | "different";
        };
        /** @description A page of `GroupingDecision` */
        GroupingDecisionCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["GroupingDecision"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A decision about two adverts */
        GroupingDecisionDraft: {
            /** @description The paths or uuids of the two adverts */
            adverts: string[];
            /**
             * @description The decision
             *
             *     - `same`: One property
             *     - `different`: Different properties
             * @enum {string}
             */
            verdict: "same" | "different";
        };
        /** @description The state of the server */
        Health: {
            /**
             * @description The state
             *
             *     - `alive`: The process runs
             *     - `ready`: The database answers and the index is complete
             * @enum {string}
             */
            status: "alive" | "ready";
        };
        /** @description How many properties have which values */
        Histogram: {
            /** @description The number of properties with more than the last bucket */
            above: number;
            /** @description The number of properties with less than the first bucket */
            below: number;
            /** @description The buckets, which are always the same for a field, ascending */
            buckets: components["schemas"]["Bucket"][];
            /** @description The number of properties without a value */
            unknown: number;
        };
        /** @description How a receiver fares */
        HostHealth: {
            /** @description The number of attempts, without interrupted ones */
            attempts: number;
            /** @description The number of attempts that the receiver accepted */
            delivered: number;
            /** @description The host and port of the endpoints, or the domain of the e-mail addresses */
            host: string;
            /** @description The same by hour, oldest first, without empty hours */
            hours: components["schemas"]["HourHealth"][];
            /** @description The time that half of the attempts took at most, in milliseconds */
            p50Ms: number;
            /** @description The time that 99 % of the attempts took at most, in milliseconds */
            p99Ms: number;
        };
        /** @description How a receiver fared in an hour */
        HourHealth: {
            /** @description The number of attempts, without interrupted ones */
            attempts: number;
            /** @description The number of attempts that the receiver accepted */
            delivered: number;
            /**
             * Format: date-time
             * @description When the hour began
             */
            hour: string;
            /** @description The time that half of the attempts took at most, in milliseconds */
            p50Ms: number;
            /** @description The time that 99 % of the attempts took at most, in milliseconds */
            p99Ms: number;
        };
        /** @description An API key. The key itself is shown once, when it is created. */
        Key: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/keys/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /**
             * Format: date-time
             * @description When it was created
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description From when on it is invalid; null if it does not expire
             */
            expiresAt: string | null;
            /** @description The id, which is no secret */
            id: string;
            /** @description The key itself. Only in the answer that creates it. */
            key?: string;
            /** @description What the key is for */
            label: string | null;
            /**
             * Format: date-time
             * @description When it was last used, a few seconds behind; null if it never was
             */
            lastUsedAt: string | null;
            /** @description The limit of this key; 0 is no limit, null the general one */
            requestsPerMinute: number | null;
            /**
             * Format: date-time
             * @description When it was revoked; null if it is valid
             */
            revokedAt: string | null;
            /** @description What the key may do */
            scopes: ("read" | "searches" | "ingest" | "admin")[];
            /** @description The name of its user. The keys of one user share saved searches. */
            user: string;
        };
        /** @description A change of a key. An absent field keeps its value; null clears it. */
        KeyChange: {
            /** @description From when on it is invalid; a date without a time is the end of that day (`YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS`, or ISO 8601) */
            expiresAt?: string | null;
            /** @description What the key is for, at most 100 characters */
            label?: string | null;
            /** @description The limit of this key; 0 is no limit, null the general one */
            requestsPerMinute?: (number | string) | null;
        };
        /** @description A page of `Key` */
        KeyCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Key"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A key to create */
        KeyDraft: {
            /** @description From when on it is invalid; a date without a time is the end of that day (`YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS`, or ISO 8601) */
            expiresAt?: string | null;
            /** @description What the key is for, at most 100 characters */
            label?: string | null;
            /** @description The limit of this key; 0 is no limit, null the general one */
            requestsPerMinute?: (number | string) | null;
            /** @description What the key may do; read and searches if absent */
            scopes?: (("read" | "searches" | "ingest" | "admin")[] | string) | null;
            /** @description The name of its user, at most 100 characters; created if there is none with this name */
            user: string;
        };
        /** @description What a buyer pays for a life annuity */
        LifeAnnuity: {
            /** @description The sum paid at the signature, in euros */
            bouquet: number | null;
            /** @description The rent in euros a month, as long as the seller lives */
            rent: number | null;
        };
        /** @description What a buyer pays for a life annuity */
        LifeAnnuityDraft: {
            /** @description The sum paid at the signature, in euros */
            bouquet?: (number | string) | null;
            /** @description The rent in euros a month, as long as the seller lives */
            rent?: (number | string) | null;
        };
        /** @description A line of public transport */
        Line: {
            /** @description The colour on maps, such as #dc9600 */
            color: string;
            /** @description The id */
            id: number;
            /** @description The name, such as Tram T4 */
            name: string;
            /** @description The number, such as T4 or 7bis */
            number: string;
            /** @description The places that the line connects */
            routeName: string;
        };
        /** @description A suggestion: a city, a department or a station, with the fields of that resource */
        Location: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/{places}/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The article that the name begins with, such as Le */
            article?: string | null;
            /** @description The name of its capital */
            chefLieu?: string | null;
            /** @description The id of the city that a district belongs to */
            cityParentId?: number | null;
            /** @description The code, such as 37 or 2A */
            code?: string;
            /** @description The country. Its id is the ISO 3166 number. */
            country?: components["schemas"]["Division"] | null;
            /** @description The department */
            department?: components["schemas"]["Division"] | null;
            /** @description The same as code */
            departmentCode?: string;
            /** @description The name with its zipcode, code or commune, such as Tours (37000) */
            displayName?: string;
            /** @description All names of the commune: its own, then those of its districts and former communes */
            groupedCityNames?: string[];
            /** @description All zipcodes of the commune */
            groupedCityZipcodes?: string[];
            /** @description Whether the commune has several names */
            hasGroupedByName?: boolean;
            /** @description Whether the commune has several zipcodes */
            hasGroupedByZipcode?: boolean;
            /** @description The id: the INSEE code as a number (2A is 201, 2B is 202) */
            id: number | null;
            /** @description The INSEE code */
            insee?: string | null;
            /** @description The official name */
            libelle?: string;
            /** @description The lines that stop there */
            lines?: components["schemas"]["Line"][];
            /** @description The same as locations; of a department, the centre of its capital */
            location?: components["schemas"]["Point"] | null;
            /** @description The centre of the commune */
            locations?: components["schemas"]["Point"] | null;
            /** @description The name */
            name: string | null;
            /** @description The name in lower case without accents */
            nameClean?: string;
            /** @description Whether it is inhabited */
            open?: boolean;
            /** @description The official name */
            originalName?: string | null;
            /** @description The number of inhabitants */
            population?: number;
            /** @description The region */
            region?: components["schemas"]["Division"] | null;
            /** @description The name in lower case without accents, with hyphens, as in the addresses of pages */
            slug?: string;
            /**
             * @description What is suggested
             *
             *     - `city`: A city
             *     - `department`: A department
             *     - `station`: A station
             * @enum {string}
             */
            type?: "city" | "department" | "station";
            /** @description The zipcode: that of the property, else the main one of the commune */
            zipcode?: string | null;
        };
        /** @description A page of `Location` */
        LocationCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Location"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description The level of the log */
        LogLevel: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/status/log-level` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The level, or directives */
            level: string;
        };
        /** @description The level of the log from now on */
        LogLevelChange: {
            /** @description `error`, `warn`, `info`, `debug` or `trace`; or directives such as `info,store=debug` */
            level: string;
        };
        /** @description A page of `LogLevel` */
        LogLevelCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["LogLevel"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A parameter of a list */
        Mapping: {
            /**
             * @description The type
             * @constant
             */
            "@type": "IriTemplateMapping";
            /** @description The field that the parameter is about */
            property: string;
            /** @description Whether the parameter must be given */
            required: boolean;
            /** @description The name of the parameter */
            variable: string;
        };
        /** @description A property as a map shows it */
        MapProperty: {
            /**
             * Format: uuid
             * @description The uuid of the property
             */
            id: string;
            /** @description Whether an advert gives the coordinates. Otherwise they are those of the centre of the commune. */
            isExact: boolean;
            /** @description The latitude in degrees */
            latitude: number;
            /** @description The longitude in degrees */
            longitude: number;
            /** @description The price in euros; of a rental, the rent */
            price: number | null;
            /** @description The price in euros per square metre */
            pricePerMeter: number | null;
            /** @description The number of rooms */
            rooms: number | null;
            /** @description The living surface in square metres */
            surface: number | null;
        };
        /** @description A property that started to meet a saved search. A match is made once and never changes. */
        Match: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/matches/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /**
             * Format: date-time
             * @description When the property started to meet the search
             */
            createdAt: string;
            /** @description The property (Path of a Property) */
            property: string;
            /** @description The property as it was then */
            propertyDocument: components["schemas"]["PropertyDocument"];
            /** @description The saved search (Path of a Search) */
            search: string;
            /**
             * Format: date-time
             * @description The same as createdAt
             */
            updatedAt: string;
        };
        /** @description A page of `Match` */
        MatchCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Match"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A number of matches */
        MatchCount: {
            /** @description The number */
            count: number;
            /** @description Whether the number is partly an estimate */
            estimated: boolean;
        };
        /** @description The matches of a search, counted by day */
        MatchesByDay: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/searches/{id}/matches-by-day` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description Each day of the period, oldest first; the last one is today */
            days: components["schemas"]["DayMatches"][];
            /** @description Whether all matches of the period are counted. False if the search had more than 100,000: then the oldest are left out. */
            isComplete: boolean;
            /**
             * Format: date-time
             * @description When the newest match was made, however long ago; null if there is none
             */
            lastMatchAt: string | null;
            /** @description The search (Path of a Search) */
            search: string;
        };
        /** @description A page of `MatchesByDay` */
        MatchesByDayCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["MatchesByDay"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description Properties to merge */
        MergeDraft: {
            /** @description The paths or uuids of at least two properties. The first one remains. */
            properties: string[];
        };
        /** @description A place or a site */
        NamedItem: {
            /** @description The path of the place or site (Path of a Place) */
            "@id": string;
            /** @description The name; null if it is unknown */
            name: string | null;
        };
        /** @description The ranges of the lots of a new-building programme */
        NewBuilding: {
            /** @description The highest price of a lot in euros */
            priceMax: number | null;
            /** @description The lowest price of a lot in euros */
            priceMin: number | null;
            /** @description The most rooms of a lot */
            roomMax: number | null;
            /** @description The fewest rooms of a lot */
            roomMin: number | null;
            /** @description The largest surface of a lot in square metres */
            surfaceMax: number | null;
            /** @description The smallest surface of a lot in square metres */
            surfaceMin: number | null;
        };
        /** @description The ranges of the lots of a new-building programme */
        NewBuildingDraft: {
            /** @description The highest price of a lot in euros */
            priceMax?: (number | string) | null;
            /** @description The lowest price of a lot in euros */
            priceMin?: (number | string) | null;
            /** @description The most rooms of a lot */
            roomMax?: (number | string) | null;
            /** @description The fewest rooms of a lot */
            roomMin?: (number | string) | null;
            /** @description The largest surface of a lot in square metres */
            surfaceMax?: (number | string) | null;
            /** @description The smallest surface of a lot in square metres */
            surfaceMin?: (number | string) | null;
        };
        /** @description The requests for one operation */
        OperationUsage: {
            /**
             * @description The type
             * @constant
             */
            "@type": "OperationUsage";
            /** @description The number of items in the answers */
            items: number;
            /** @description The method and the path, such as GET /documents/properties */
            operation: string;
            /** @description The number of requests */
            requests: number;
        };
        /** @description The outline of a city or department: a GeoJSON feature */
        Outline: {
            /** @description The border */
            geometry: components["schemas"]["Geometry"];
            /** @description The id of the place */
            id: number;
            /** @description What the outline is of */
            properties: components["schemas"]["OutlineProperties"];
            /**
             * @description The GeoJSON type
             * @constant
             */
            type: "Feature";
        };
        /** @description What an outline is of */
        OutlineProperties: {
            /** @description The code of a department */
            code?: string;
            /** @description The id of the place */
            id: number;
            /** @description The INSEE code of a city */
            insee?: string;
            /** @description The name of the place */
            name: string;
        };
        /** @description A text of an advert */
        Passage: {
            /** @description The advert (Path of a Advert) */
            advert: string;
            /** @description The field that holds the text: title, description, features or district */
            fieldName: string;
        };
        /** @description Coordinates (WGS 84) */
        Point: {
            /** @description Latitude in degrees */
            lat: number;
            /** @description Longitude in degrees */
            lon: number;
        };
        /** @description Coordinates (WGS 84). GeoJSON is understood as well. */
        PointDraft: {
            /** @description Latitude in degrees */
            lat?: (number | string) | null;
            /** @description Longitude in degrees */
            lon?: (number | string) | null;
        };
        /** @description A search to try. The settings of notifications have no effect. */
        PreviewDraft: {
            /** @description Price of an advert that is not expired at most */
            advertPriceMax?: (number | string) | null;
            /** @description Price of an advert that is not expired at least */
            advertPriceMin?: (number | string) | null;
            /** @description Bedrooms at most */
            bedroomMax?: (number | string) | null;
            /** @description Bedrooms at least */
            bedroomMin?: (number | string) | null;
            /** @description Price at most */
            budgetMax?: (number | string) | null;
            /** @description Price at least */
            budgetMin?: (number | string) | null;
            /** @description Condominium fees per year at most */
            condominiumFeesMax?: (number | string) | null;
            /** @description Condominium fees per year at least */
            condominiumFeesMin?: (number | string) | null;
            /** @description Built in this year or earlier */
            constructionYearMax?: (number | string) | null;
            /** @description Built in this year or later */
            constructionYearMin?: (number | string) | null;
            /**
             * Format: uri
             * @description The https URL that receives new matches, at most 2,048 characters
             */
            endpointRecipient?: string | null;
            /** @description Any of these energy classes, A to G */
            energyCategories?: (("A" | "B" | "C" | "D" | "E" | "F" | "G")[] | string) | null;
            /** @description Energy value at most */
            energyValueMax?: (number | string) | null;
            /** @description Energy value at least */
            energyValueMin?: (number | string) | null;
            /**
             * Format: uri
             * @description The https URL that receives events of adverts, at most 2,048 characters
             */
            eventEndpoint?: string | null;
            /** @description A price change of at most this percentage */
            eventPriceVariationMax?: (number | string) | null;
            /** @description A price change of at least this percentage; negative for a decrease */
            eventPriceVariationMin?: (number | string) | null;
            /** @description A surface change of at most this percentage */
            eventSurfaceVariationMax?: (number | string) | null;
            /** @description A surface change of at least this percentage */
            eventSurfaceVariationMin?: (number | string) | null;
            /** @description Not in these cities */
            excludedCities?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description Not in cities with these INSEE codes */
            excludedInseeCodes?: ((string | number)[] | (string | number)) | null;
            /** @description Not these properties */
            excludedProperties?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description An advert from a site in none of these categories */
            excludedSiteCategories?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description An advert from none of these sites */
            excludedSites?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description Not with these zipcodes */
            excludedZipcodes?: ((string | number)[] | (string | number)) | null;
            /** @description Under an exclusive mandate or not */
            exclusiveMandate?: (boolean | number | string) | null;
            /** @description Words in title, description, features or district: expressions[group][entry][word], with [options][includes] and [options][strict] */
            expressions?: (components["schemas"]["Expression"][][] | unknown[] | {
                [key: string]: unknown;
            } | string) | null;
            /** @description Features with these words: one for each value, of any advert */
            features?: ((string | number)[] | (string | number)) | null;
            /** @description Fees in percent at most */
            feesPercentageMax?: (number | string) | null;
            /** @description Fees in percent at least */
            feesPercentageMin?: (number | string) | null;
            /** @description Fees paid by the seller (0) or the buyer (1) */
            feesResponsibility?: ((0 | 1) | string) | null;
            /** @description Floors of the building at most */
            floorQuantityMax?: (number | string) | null;
            /** @description Floors of the building at least */
            floorQuantityMin?: (number | string) | null;
            /** @description Furnished or not */
            furnished?: (boolean | number | string) | null;
            /** @description Coordinates of a house (1), or of a neighbourhood or city centre (2) */
            geoAccuracy?: ((1 | 2) | string) | null;
            /** @description In any of these polygons: geoShapes[shape][point][0] is a longitude, [1] a latitude */
            geoShapes?: number[][][] | null;
            /** @description Any of these greenhouse-gas classes, A to G */
            greenHouseGasCategories?: (("A" | "B" | "C" | "D" | "E" | "F" | "G")[] | string) | null;
            /** @description Greenhouse-gas value at most */
            greenHouseGasValueMax?: (number | string) | null;
            /** @description Greenhouse-gas value at least */
            greenHouseGasValueMin?: (number | string) | null;
            /** @description Whether messages leave out the contacts of adverts; false by default */
            hidePropertyContact?: (boolean | number | string) | null;
            /** @description In any of these cities or of the other included places */
            includedCities?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description In any of these departments or of the other included places */
            includedDepartments?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description In any city with one of these INSEE codes, or in any of the other included places */
            includedInseeCodes?: ((string | number)[] | (string | number)) | null;
            /** @description An advert from a site in any of these categories, or from any of the included sites */
            includedSiteCategories?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description An advert from any of these sites or of the included categories */
            includedSites?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description With any of these zipcodes, or in any of the other included places */
            includedZipcodes?: ((string | number)[] | (string | number)) | null;
            /** @description Price of the inventory at most */
            inventoryPriceMax?: (number | string) | null;
            /** @description Price of the inventory at least */
            inventoryPriceMin?: (number | string) | null;
            /** @description Land at most */
            landSurfaceMax?: (number | string) | null;
            /** @description Land at least, in square metres */
            landSurfaceMin?: (number | string) | null;
            /** @description Latitude of the centre of a circle, or of the point to sort by distance from */
            lat?: (number | string) | null;
            /** @description Sold as a life annuity, or not; not if no advert says so */
            lifeAnnuity?: (boolean | number | string) | null;
            /** @description Longitude of that point */
            lon?: (number | string) | null;
            /** @description Lots of the condominium at most */
            lotCountMax?: (number | string) | null;
            /** @description Lots of the condominium at least */
            lotCountMin?: (number | string) | null;
            /** @description A new-building programme, or not; not if no advert says so */
            newBuilding?: (boolean | number | string) | null;
            /** @description Whether the search makes matches and sends anything; false by default */
            notificationEnabled?: (boolean | number | string) | null;
            /**
             * Format: email
             * @description The e-mail address that receives new matches
             */
            notificationRecipient?: string | null;
            /** @description With a tenant or another occupant, or free */
            occupied?: (boolean | number | string) | null;
            /** @description Parking spaces at most */
            parkingCountMax?: (number | string) | null;
            /** @description Parking spaces at least */
            parkingCountMin?: (number | string) | null;
            /** @description Price without fees at most */
            priceExcludingFeesMax?: (number | string) | null;
            /** @description Price without fees at least */
            priceExcludingFeesMin?: (number | string) | null;
            /** @description Without any price, or with one; true turns the default of withCoherentPrice off */
            priceOnRequest?: (boolean | number | string) | null;
            /** @description Price per square metre at most */
            pricePerMeterMax?: (number | string) | null;
            /** @description Price per square metre at least */
            pricePerMeterMin?: (number | string) | null;
            /** @description Any of these types, 0 to 6 */
            propertyTypes: ((0 | 1 | 2 | 3 | 4 | 5 | 6) | string)[] | (0 | 1 | 2 | 3 | 4 | 5 | 6) | string;
            /** @description Published by an individual (0) or a professional (1) */
            publisherTypes?: (((0 | 1) | string)[] | (0 | 1) | string) | null;
            /** @description Radius of the circle in kilometres */
            radius?: (number | string) | null;
            /** @description Charges at most */
            rentalChargesMax?: (number | string) | null;
            /** @description Charges at least */
            rentalChargesMin?: (number | string) | null;
            /** @description Deposit at most */
            rentalPledgeMax?: (number | string) | null;
            /** @description Deposit at least */
            rentalPledgeMin?: (number | string) | null;
            /** @description Fees of the tenant at most */
            renterFeesMax?: (number | string) | null;
            /** @description Fees of the tenant at least */
            renterFeesMin?: (number | string) | null;
            /** @description Rooms at most */
            roomMax?: (number | string) | null;
            /** @description Rooms at least */
            roomMin?: (number | string) | null;
            /** @description The events to send there */
            subscribedEvents?: (("ad.update.price" | "ad.update.surface" | "ad.update.pictures" | "ad.update.expired" | "property.ad.create" | "property.ad.update")[] | ("ad.update.price" | "ad.update.surface" | "ad.update.pictures" | "ad.update.expired" | "property.ad.create" | "property.ad.update")) | null;
            /** @description Surface at most */
            surfaceMax?: (number | string) | null;
            /** @description Surface at least, in square metres */
            surfaceMin?: (number | string) | null;
            /** @description Has no effect */
            title?: string | null;
            /** @description 0 for sale, 1 to let */
            transactionType: (0 | 1) | string;
            /** @description Only with a plausible price; defaults to true */
            withCoherentPrice?: (boolean | number | string) | null;
            /** @description Only with coordinates that an advert gives */
            withLocation?: (boolean | number | string) | null;
            /** @description Only with a virtual tour */
            withVirtualTour?: (boolean | number | string) | null;
        };
        /** @description Prices per square metre in one month or year */
        PricePeriod: {
            /** @description The average in euros per square metre */
            average: number;
            /** @description The number of properties */
            count: number;
            /** @description The month (2026-03) or the year (2026) */
            date: string;
            /** @description The median in euros per square metre */
            median: number;
            /** @description The 10th percentile: a tenth of the properties cost less, in euros per square metre */
            percentile10: number;
            /** @description The 90th percentile: a tenth of the properties cost more, in euros per square metre */
            percentile90: number;
        };
        /** @description Prices per square metre of the properties that match the filters */
        PricePerMeter: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/indicators/price_per_meter` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The average in euros per square metre; null if no property matches */
            average: number | null;
            /** @description The highest average of a period, in euros per square metre */
            average_max: number | null;
            /** @description The lowest average of a period, in euros per square metre */
            average_min: number | null;
            /** @description The number of properties */
            count: number;
            /** @description The median in euros per square metre */
            median: number | null;
            /** @description The 10th percentile: a tenth of the properties cost less, in euros per square metre */
            percentile10: number | null;
            /** @description The 90th percentile: a tenth of the properties cost more, in euros per square metre */
            percentile90: number | null;
            /** @description The detail of each period, oldest first */
            periods: components["schemas"]["PricePeriod"][];
            /** @description The average of each period in euros per square metre, by month (2026-03) or year (2026) */
            series: {
                [key: string]: number;
            };
        };
        /** @description A page of `PricePerMeter` */
        PricePerMeterCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["PricePerMeter"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description The price of an advert at a date */
        PricePoint: {
            /** @description The same as date */
            at?: (string | number) | null;
            /** @description The same as date */
            createdAt?: (string | number) | null;
            /** @description The date */
            date?: (string | number) | null;
            /** @description The price in euros */
            price?: (number | string) | null;
            /** @description The same as price */
            value?: (number | string) | null;
        };
        /** @description A home, plot or shop, with all its adverts. A value comes from the reference advert, or from the next one that has it. */
        PropertyDocument: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/documents/properties/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The adverts of the property, in the order in which they joined it */
            adverts: components["schemas"]["AdvertInProperty"][];
            /** @description The number of bedrooms */
            bedroom: number | null;
            /** @description The commune, or what the sender gave if the commune is not known */
            city: components["schemas"]["CityInProperty"] | null;
            /** @description Whether the price is plausible */
            coherentPrice: boolean;
            /**
             * Format: date-time
             * @description When the earliest advert was created
             */
            createdAt: string;
            /** @description The description, as plain text */
            description: string | null;
            /** @description The name of the neighbourhood */
            district: string | null;
            /** @description Whether the building has a lift */
            elevator: boolean | null;
            /** @description Whether all adverts are expired: the property is no longer on offer */
            expired: boolean;
            /**
             * Format: date-time
             * @description When the last advert expired; null unless all are expired
             */
            expiredAt: string | null;
            /** @description The floor; 0 is the ground floor, negative numbers are below ground */
            floor: number | null;
            /** @description Whether the property is furnished */
            furnished: boolean | null;
            /**
             * @description How accurate the coordinates are (1 House number, 2 Neighbourhood or centre of the city)
             * @enum {integer|null}
             */
            geoAccuracy: 1 | 2 | null;
            /** @description The surface of the land in square metres */
            landSurface: number | null;
            /**
             * Format: uuid
             * @description The uuid of the reference advert: the most recently seen one that is not expired, or the most recently seen one if all are expired
             */
            lastCrawledAdvert: string;
            /**
             * Format: date-time
             * @description When an advert that is not expired was last seen; null if all are expired
             */
            lastCrawledAt: string | null;
            /** @description The same as locations */
            location: components["schemas"]["Point"] | null;
            /** @description The coordinates: those of an advert, else the centre of the commune */
            locations: components["schemas"]["Point"] | null;
            /** @description The pictures of the reference advert, then those of the others, without repeats */
            pictures: string[];
            /** @description The price in euros; of a rental, the rent. Of a new-building programme, that of the smallest lot. */
            price: number | null;
            /** @description The price divided by the surface, in euros per square metre, with two decimals; null for a life annuity */
            pricePerMeter: number | null;
            /**
             * @description What is wrong with the price; null if nothing is
             *
             *     - `noPrice`: No price: on request, or left out
             *     - `placeholder`: A number that stands for no price, such as 1
             *     - `belowBounds`: Below what such a property costs anywhere
             *     - `aboveBounds`: Above what such a property costs anywhere
             *     - `rentInSale`: The price of a sale is an ordinary rent
             *     - `salePriceInRent`: The rent is an ordinary price of a sale
             *     - `yearlyRent`: The rent is an ordinary one for a year
             *     - `nightlyRent`: The rent is an ordinary one for a night
             *     - `tenfold`: About ten times what is usual around there
             *     - `tenth`: About a tenth of what is usual
             *     - `hundredfold`: About a hundred times what is usual: a lost decimal comma
             *     - `hundredth`: About a hundredth of what is usual
             *     - `outlier`: Far from what is usual, for none of these reasons
             * @enum {string|null}
             */
            priceProblem: "noPrice" | "placeholder" | "belowBounds" | "aboveBounds" | "rentInSale" | "salePriceInRent" | "yearlyRent" | "nightlyRent" | "tenfold" | "tenth" | "hundredfold" | "hundredth" | "outlier" | null;
            /** @description The path that other objects name the property by (Path of a Property) */
            property: string;
            /**
             * @description The type of property (0 Apartment, 1 House, 2 Building, 3 Parking, 4 Office, 5 Land, 6 Shop)
             * @enum {integer}
             */
            propertyType: 0 | 1 | 2 | 3 | 4 | 5 | 6;
            /** @description The types of the publishers of its adverts, without repeats */
            publisherTypes: (0 | 1)[];
            /** @description The number of rooms, without kitchen and bathroom. Of a new-building programme, that of the smallest lot. */
            room: number | null;
            /** @description The stations within walking distance of coordinates that an advert gave, nearest first */
            stations: components["schemas"]["Station"][];
            /** @description The living surface in square metres. Of a new-building programme, that of the smallest lot. */
            surface: number | null;
            /** @description The title */
            title: string | null;
            /**
             * @description For sale or to let (0 Sell, 1 Rent)
             * @enum {integer}
             */
            transactionType: 0 | 1;
            /**
             * Format: date-time
             * @description When an advert last changed
             */
            updatedAt: string;
            /**
             * Format: uuid
             * @description The id of the property
             */
            uuid: string;
        };
        /** @description A page of `PropertyDocument` */
        PropertyDocumentCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["PropertyDocument"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description Why the adverts of a property are one property */
        PropertyGrouping: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/documents/properties/{id}/grouping` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description Its adverts, and what put each of them there */
            adverts: components["schemas"]["GroupedAdvert"][];
            /** @description Merges, splits and moves of adverts, newest first */
            history: components["schemas"]["Regrouping"][];
            /** @description The property (Path of a Property) */
            property: string;
        };
        /** @description A page of `PropertyGrouping` */
        PropertyGroupingCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["PropertyGrouping"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description The result of a merge */
        PropertyMerge: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/properties/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The properties that it replaces; their paths lead to it */
            merged: string[];
            /** @description The property that remains (Path of a Property) */
            property: string;
        };
        /** @description A page of `PropertyMerge` */
        PropertyMergeCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["PropertyMerge"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description The result of a split */
        PropertySplit: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/properties/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The new property (Path of a Property) */
            created: string;
            /** @description The property that was split (Path of a Property) */
            property: string;
        };
        /** @description A page of `PropertySplit` */
        PropertySplitCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["PropertySplit"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description Who published an advert */
        Publisher: {
            /** @description The name of the category of the site */
            category: string | null;
            /** @description The name of the publisher */
            name: string | null;
            /**
             * @description The type of publisher (0 Individual, 1 Professional)
             * @enum {integer|null}
             */
            type: 0 | 1 | null;
        };
        /** @description Who published an advert */
        PublisherDraft: {
            /** @description The name of the publisher */
            name?: (string | number) | null;
            /** @description The type of publisher */
            type?: ((0 | 1) | string) | null;
        };
        /** @description An energy or greenhouse-gas rating */
        Rating: {
            /**
             * @description The class
             *
             *     - `A`: Best class
             *     - `G`: Worst class
             * @enum {string|null}
             */
            category: "A" | "B" | "C" | "D" | "E" | "F" | "G" | null;
            /** @description The value behind the class, per square metre and year: kWh of energy, or kg of CO2 */
            value: number | null;
        };
        /** @description An energy or greenhouse-gas rating */
        RatingDraft: {
            /** @description The class */
            category?: (("A" | "B" | "C" | "D" | "E" | "F" | "G") | string) | null;
            /** @description The value behind the class, per square metre and year: kWh of energy, or kg of CO2 */
            value?: (number | string) | null;
        };
        /** @description What the receiver of a test webhook did */
        Receiver: {
            /** @description What is wrong with the certificate of the receiver, and what to do; null otherwise */
            detail: string | null;
            /** @description How long the attempt took, in milliseconds; rounded if no connection was opened */
            durationMs: number;
            /**
             * @description How the attempt ended
             *
             *     - `delivered`: The receiver answered 200, or the mail server accepted the e-mail
             *     - `policy_refused`: The host is, or resolves to, a blocked address
             *     - `dns`: The host name could not be resolved
             *     - `connect`: The connection failed
             *     - `tls`: The certificate is not valid for the host, or the TLS handshake failed
             *     - `timeout`: The receiver took too long
             *     - `closed`: The connection ended before the response
             *     - `protocol`: The response is not valid HTTP
             *     - `too_large`: The response headers are too large
             *     - `status`: The receiver answered with another status
             *     - `rejected`: The mail server rejected the e-mail permanently
             *     - `interrupted`: Unknown: the process ended during the attempt
             * @enum {string}
             */
            outcome: "delivered" | "policy_refused" | "dns" | "connect" | "tls" | "timeout" | "closed" | "protocol" | "too_large" | "status" | "rejected" | "interrupted";
            /** @description The HTTP status that it answered with */
            status: number | null;
        };
        /** @description A resource that was read before, sent back. Other fields than its path are ignored. */
        Reference: {
            /** @description The path of the resource */
            "@id": string;
        };
        /** @description Why adverts were refused */
        RefusedAdverts: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/status/refused` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The reasons, the most frequent first */
            reasons: components["schemas"]["RefusedReason"][];
            /** @description The number of refused adverts that are kept, at most 1,000 */
            total: number;
        };
        /** @description A page of `RefusedAdverts` */
        RefusedAdvertsCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["RefusedAdverts"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A refused advert */
        RefusedExample: {
            /**
             * Format: date-time
             * @description When it came
             */
            at: string;
            /** @description Its reference, if it could be read */
            reference: string | null;
            /** @description Its site, if it could be read */
            site: string | null;
        };
        /** @description A reason to refuse adverts */
        RefusedReason: {
            /** @description The kind of problem, as in an error */
            code: string;
            /** @description The number of adverts with this reason */
            count: number;
            /**
             * Format: date-time
             * @description When the last one came
             */
            lastAt: string;
            /** @description What is wrong, without the values that were sent */
            message: string;
            /** @description The field, without its place in a list */
            propertyPath: string;
        };
        /** @description A region */
        Region: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/regions/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The code */
            code: string;
            /** @description The id: the code as a number */
            id: number;
            /** @description The name */
            name: string;
            /** @description The name in lower case without accents, with hyphens, as in the addresses of pages */
            slug: string;
        };
        /** @description A page of `Region` */
        RegionCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Region"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description Adverts that changed their property */
        Regrouping: {
            /** @description The adverts */
            adverts: string[];
            /**
             * @description What decided
             *
             *     - `grouping`: Evidence
             *     - `sender`: The sender named the property
             *     - `person`: A person merged or split properties
             * @enum {string}
             */
            by: "grouping" | "sender" | "person";
            /**
             * Format: date-time
             * @description When it happened
             */
            createdAt: string;
            /** @description The user of the key, or command line; null unless a person decided */
            decidedBy: string | null;
            /** @description The property that they left (Path of a Property) */
            from: string;
            /** @description The property that they joined (Path of a Property) */
            to: string;
        };
        /** @description How many deliveries are sent again */
        Replay: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description Name of the type */
            "@type": string;
            /** @description The number of deliveries */
            replayed: number;
        };
        /** @description A page of `Replay` */
        ReplayCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Replay"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description How many deliveries a replay would send again */
        ReplayCount: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description Name of the type */
            "@type": string;
            /** @description The number of deliveries */
            deliveries: number;
        };
        /** @description A page of `ReplayCount` */
        ReplayCountCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["ReplayCount"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description Which deliveries of a search to send again */
        ReplayDraft: {
            /** @description Those created since this date that failed, or were cancelled for lack of a destination. May be in the query instead. (`YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS`, or ISO 8601) */
            since?: string | null;
        };
        /** @description What retention deleted and left */
        RetentionFigures: {
            /**
             * Format: date-time
             * @description When a round last came to its end; null before the first
             */
            completedAt: string | null;
            /** @description The number of rows that this process deleted, by table */
            deletedRows: {
                [key: string]: number;
            };
            /** @description The part of the database that is free and will be used again */
            freeBytes: number;
            /** @description The first position that the change log still has */
            oldestPosition: number;
            /** @description The size of the write-ahead log */
            walBytes: number;
        };
        /** @description A saved search: criteria, and where to send what meets them. A criterion that is not set is null, or an empty list. */
        Search: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/searches/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description Price of an advert that is not expired at most */
            advertPriceMax: number | null;
            /** @description Price of an advert that is not expired at least */
            advertPriceMin: number | null;
            /** @description Bedrooms at most */
            bedroomMax: number | null;
            /** @description Bedrooms at least */
            bedroomMin: number | null;
            /** @description Price at most */
            budgetMax: number | null;
            /** @description Price at least */
            budgetMin: number | null;
            /** @description Condominium fees per year at most */
            condominiumFeesMax?: number;
            /** @description Condominium fees per year at least */
            condominiumFeesMin?: number;
            /** @description Built in this year or earlier */
            constructionYearMax?: number;
            /** @description Built in this year or later */
            constructionYearMin?: number;
            /**
             * Format: date-time
             * @description When it was created
             */
            createdAt: string;
            /**
             * Format: uri
             * @description The https URL that receives new matches
             */
            endpointRecipient: string | null;
            /** @description Any of these energy classes, A to G */
            energyCategories?: ("A" | "B" | "C" | "D" | "E" | "F" | "G")[];
            /** @description Energy value at most */
            energyValueMax?: number;
            /** @description Energy value at least */
            energyValueMin?: number;
            /**
             * Format: uri
             * @description The https URL that receives events of adverts
             */
            eventEndpoint: string | null;
            /** @description A price change of at most this percentage */
            eventPriceVariationMax?: number;
            /** @description A price change of at least this percentage; negative for a decrease */
            eventPriceVariationMin?: number;
            /** @description A surface change of at most this percentage */
            eventSurfaceVariationMax?: number;
            /** @description A surface change of at least this percentage */
            eventSurfaceVariationMin?: number;
            /** @description Not in these cities */
            excludedCities: components["schemas"]["CityInSearch"][];
            /** @description Not in cities with these INSEE codes */
            excludedInseeCodes?: string[];
            /** @description Not these properties */
            excludedProperties?: string[];
            /** @description An advert from a site in none of these categories */
            excludedSiteCategories: components["schemas"]["SiteCategoryInSearch"][];
            /** @description An advert from none of these sites */
            excludedSites: (string)[];
            /** @description Not with these zipcodes */
            excludedZipcodes: string[];
            /** @description Under an exclusive mandate or not */
            exclusiveMandate?: boolean;
            /** @description Words in title, description, features or district: expressions[group][entry][word], with [options][includes] and [options][strict] */
            expressions: components["schemas"]["Expression"][][];
            /** @description Features with these words: one for each value, of any advert */
            features?: string[];
            /** @description Fees in percent at most */
            feesPercentageMax?: number;
            /** @description Fees in percent at least */
            feesPercentageMin?: number;
            /**
             * @description Fees paid by the seller (0) or the buyer (1) (0 Seller, 1 Buyer)
             * @enum {integer}
             */
            feesResponsibility?: 0 | 1;
            /** @description Floors of the building at most */
            floorQuantityMax?: number;
            /** @description Floors of the building at least */
            floorQuantityMin?: number;
            /** @description Furnished or not */
            furnished: boolean | null;
            /**
             * @description Coordinates of a house (1), or of a neighbourhood or city centre (2) (1 House number, 2 Neighbourhood or centre of the city)
             * @enum {integer|null}
             */
            geoAccuracy: 1 | 2 | null;
            /** @description In any of these polygons: geoShapes[shape][point][0] is a longitude, [1] a latitude */
            geoShapes: number[][][];
            /** @description Any of these greenhouse-gas classes, A to G */
            greenHouseGasCategories?: ("A" | "B" | "C" | "D" | "E" | "F" | "G")[];
            /** @description Greenhouse-gas value at most */
            greenHouseGasValueMax?: number;
            /** @description Greenhouse-gas value at least */
            greenHouseGasValueMin?: number;
            /** @description Whether messages leave out the contacts of adverts */
            hidePropertyContact: boolean;
            /** @description The fields of the request that are not known or have no effect. Only in the answer to it, and only if there are any. */
            ignored?: string[];
            /** @description In any of these cities or of the other included places */
            includedCities: components["schemas"]["CityInSearch"][];
            /** @description In any of these departments or of the other included places */
            includedDepartments: components["schemas"]["DepartmentInSearch"][];
            /** @description In any city with one of these INSEE codes, or in any of the other included places */
            includedInseeCodes: string[];
            /** @description An advert from a site in any of these categories, or from any of the included sites */
            includedSiteCategories: components["schemas"]["SiteCategoryInSearch"][];
            /** @description An advert from any of these sites or of the included categories */
            includedSites: (string)[];
            /** @description With any of these zipcodes, or in any of the other included places */
            includedZipcodes: string[];
            /** @description Price of the inventory at most */
            inventoryPriceMax?: number;
            /** @description Price of the inventory at least */
            inventoryPriceMin?: number;
            /** @description Land at most */
            landSurfaceMax: number | null;
            /** @description Land at least, in square metres */
            landSurfaceMin: number | null;
            /**
             * Format: date-time
             * @description When a message was last accepted by its receiver; null if none was
             */
            lastAlertAt: string | null;
            /** @description Latitude of the centre of a circle, or of the point to sort by distance from */
            lat: number | null;
            /** @description Sold as a life annuity, or not; not if no advert says so */
            lifeAnnuity?: boolean;
            /** @description Longitude of that point */
            lon: number | null;
            /** @description Lots of the condominium at most */
            lotCountMax?: number;
            /** @description Lots of the condominium at least */
            lotCountMin?: number;
            /** @description A new-building programme, or not; not if no advert says so */
            newBuilding?: boolean;
            /** @description Whether the search makes matches and sends anything */
            notificationEnabled: boolean;
            /**
             * Format: email
             * @description The e-mail address that receives new matches
             */
            notificationRecipient: string | null;
            /** @description With a tenant or another occupant, or free */
            occupied?: boolean;
            /** @description Parking spaces at most */
            parkingCountMax?: number;
            /** @description Parking spaces at least */
            parkingCountMin?: number;
            /** @description Price without fees at most */
            priceExcludingFeesMax?: number;
            /** @description Price without fees at least */
            priceExcludingFeesMin?: number;
            /** @description Without any price, or with one; true turns the default of withCoherentPrice off */
            priceOnRequest?: boolean;
            /** @description Price per square metre at most */
            pricePerMeterMax: number | null;
            /** @description Price per square metre at least */
            pricePerMeterMin: number | null;
            /** @description Any of these types, 0 to 6 */
            propertyTypes: (0 | 1 | 2 | 3 | 4 | 5 | 6)[];
            /** @description Published by an individual (0) or a professional (1) */
            publisherTypes: (0 | 1)[];
            /** @description Radius of the circle in kilometres */
            radius: number | null;
            /** @description Charges at most */
            rentalChargesMax?: number;
            /** @description Charges at least */
            rentalChargesMin?: number;
            /** @description Deposit at most */
            rentalPledgeMax?: number;
            /** @description Deposit at least */
            rentalPledgeMin?: number;
            /** @description Fees of the tenant at most */
            renterFeesMax?: number;
            /** @description Fees of the tenant at least */
            renterFeesMin?: number;
            /** @description Rooms at most */
            roomMax: number | null;
            /** @description Rooms at least */
            roomMin: number | null;
            /** @description The events to send there */
            subscribedEvents: ("ad.update.price" | "ad.update.surface" | "ad.update.pictures" | "ad.update.expired" | "property.ad.create" | "property.ad.update")[];
            /** @description Surface at most */
            surfaceMax: number | null;
            /** @description Surface at least, in square metres */
            surfaceMin: number | null;
            /** @description The title */
            title: string;
            /** @description A secret of 50 hexadecimal digits: who has it can unsubscribe the search from e-mails */
            token: string;
            /**
             * @description 0 for sale, 1 to let (0 Sell, 1 Rent)
             * @enum {integer}
             */
            transactionType: 0 | 1;
            /**
             * Format: date-time
             * @description When it was last changed
             */
            updatedAt: string;
            /** @description The owner (Path of a User) */
            user: string;
            /** @description Only with a plausible price; defaults to true */
            withCoherentPrice: boolean | null;
            /** @description Only with coordinates that an advert gives */
            withLocation?: boolean;
            /** @description Only with a virtual tour */
            withVirtualTour: boolean | null;
        };
        /** @description A page of `Search` */
        SearchCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Search"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A search to save. On an update, an absent field keeps its value, and null or an empty list clears it. */
        SearchDraft: {
            /** @description Price of an advert that is not expired at most */
            advertPriceMax?: (number | string) | null;
            /** @description Price of an advert that is not expired at least */
            advertPriceMin?: (number | string) | null;
            /** @description Bedrooms at most */
            bedroomMax?: (number | string) | null;
            /** @description Bedrooms at least */
            bedroomMin?: (number | string) | null;
            /** @description Price at most */
            budgetMax?: (number | string) | null;
            /** @description Price at least */
            budgetMin?: (number | string) | null;
            /** @description Condominium fees per year at most */
            condominiumFeesMax?: (number | string) | null;
            /** @description Condominium fees per year at least */
            condominiumFeesMin?: (number | string) | null;
            /** @description Built in this year or earlier */
            constructionYearMax?: (number | string) | null;
            /** @description Built in this year or later */
            constructionYearMin?: (number | string) | null;
            /**
             * Format: uri
             * @description The https URL that receives new matches, at most 2,048 characters
             */
            endpointRecipient?: string | null;
            /** @description Any of these energy classes, A to G */
            energyCategories?: (("A" | "B" | "C" | "D" | "E" | "F" | "G")[] | string) | null;
            /** @description Energy value at most */
            energyValueMax?: (number | string) | null;
            /** @description Energy value at least */
            energyValueMin?: (number | string) | null;
            /**
             * Format: uri
             * @description The https URL that receives events of adverts, at most 2,048 characters
             */
            eventEndpoint?: string | null;
            /** @description A price change of at most this percentage */
            eventPriceVariationMax?: (number | string) | null;
            /** @description A price change of at least this percentage; negative for a decrease */
            eventPriceVariationMin?: (number | string) | null;
            /** @description A surface change of at most this percentage */
            eventSurfaceVariationMax?: (number | string) | null;
            /** @description A surface change of at least this percentage */
            eventSurfaceVariationMin?: (number | string) | null;
            /** @description Not in these cities */
            excludedCities?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description Not in cities with these INSEE codes */
            excludedInseeCodes?: ((string | number)[] | (string | number)) | null;
            /** @description Not these properties */
            excludedProperties?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description An advert from a site in none of these categories */
            excludedSiteCategories?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description An advert from none of these sites */
            excludedSites?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description Not with these zipcodes */
            excludedZipcodes?: ((string | number)[] | (string | number)) | null;
            /** @description Under an exclusive mandate or not */
            exclusiveMandate?: (boolean | number | string) | null;
            /** @description Words in title, description, features or district: expressions[group][entry][word], with [options][includes] and [options][strict] */
            expressions?: (components["schemas"]["Expression"][][] | unknown[] | {
                [key: string]: unknown;
            } | string) | null;
            /** @description Features with these words: one for each value, of any advert */
            features?: ((string | number)[] | (string | number)) | null;
            /** @description Fees in percent at most */
            feesPercentageMax?: (number | string) | null;
            /** @description Fees in percent at least */
            feesPercentageMin?: (number | string) | null;
            /** @description Fees paid by the seller (0) or the buyer (1) */
            feesResponsibility?: ((0 | 1) | string) | null;
            /** @description Floors of the building at most */
            floorQuantityMax?: (number | string) | null;
            /** @description Floors of the building at least */
            floorQuantityMin?: (number | string) | null;
            /** @description Furnished or not */
            furnished?: (boolean | number | string) | null;
            /** @description Coordinates of a house (1), or of a neighbourhood or city centre (2) */
            geoAccuracy?: ((1 | 2) | string) | null;
            /** @description In any of these polygons: geoShapes[shape][point][0] is a longitude, [1] a latitude */
            geoShapes?: number[][][] | null;
            /** @description Any of these greenhouse-gas classes, A to G */
            greenHouseGasCategories?: (("A" | "B" | "C" | "D" | "E" | "F" | "G")[] | string) | null;
            /** @description Greenhouse-gas value at most */
            greenHouseGasValueMax?: (number | string) | null;
            /** @description Greenhouse-gas value at least */
            greenHouseGasValueMin?: (number | string) | null;
            /** @description Whether messages leave out the contacts of adverts; false by default */
            hidePropertyContact?: (boolean | number | string) | null;
            /** @description In any of these cities or of the other included places */
            includedCities?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description In any of these departments or of the other included places */
            includedDepartments?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description In any city with one of these INSEE codes, or in any of the other included places */
            includedInseeCodes?: ((string | number)[] | (string | number)) | null;
            /** @description An advert from a site in any of these categories, or from any of the included sites */
            includedSiteCategories?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description An advert from any of these sites or of the included categories */
            includedSites?: ((string | number | components["schemas"]["Reference"])[] | (string | number | components["schemas"]["Reference"])) | null;
            /** @description With any of these zipcodes, or in any of the other included places */
            includedZipcodes?: ((string | number)[] | (string | number)) | null;
            /** @description Price of the inventory at most */
            inventoryPriceMax?: (number | string) | null;
            /** @description Price of the inventory at least */
            inventoryPriceMin?: (number | string) | null;
            /** @description Land at most */
            landSurfaceMax?: (number | string) | null;
            /** @description Land at least, in square metres */
            landSurfaceMin?: (number | string) | null;
            /** @description Latitude of the centre of a circle, or of the point to sort by distance from */
            lat?: (number | string) | null;
            /** @description Sold as a life annuity, or not; not if no advert says so */
            lifeAnnuity?: (boolean | number | string) | null;
            /** @description Longitude of that point */
            lon?: (number | string) | null;
            /** @description Lots of the condominium at most */
            lotCountMax?: (number | string) | null;
            /** @description Lots of the condominium at least */
            lotCountMin?: (number | string) | null;
            /** @description A new-building programme, or not; not if no advert says so */
            newBuilding?: (boolean | number | string) | null;
            /** @description Whether the search makes matches and sends anything; false by default */
            notificationEnabled?: (boolean | number | string) | null;
            /**
             * Format: email
             * @description The e-mail address that receives new matches
             */
            notificationRecipient?: string | null;
            /** @description With a tenant or another occupant, or free */
            occupied?: (boolean | number | string) | null;
            /** @description Parking spaces at most */
            parkingCountMax?: (number | string) | null;
            /** @description Parking spaces at least */
            parkingCountMin?: (number | string) | null;
            /** @description Price without fees at most */
            priceExcludingFeesMax?: (number | string) | null;
            /** @description Price without fees at least */
            priceExcludingFeesMin?: (number | string) | null;
            /** @description Without any price, or with one; true turns the default of withCoherentPrice off */
            priceOnRequest?: (boolean | number | string) | null;
            /** @description Price per square metre at most */
            pricePerMeterMax?: (number | string) | null;
            /** @description Price per square metre at least */
            pricePerMeterMin?: (number | string) | null;
            /** @description Any of these types, 0 to 6 */
            propertyTypes: ((0 | 1 | 2 | 3 | 4 | 5 | 6) | string)[] | (0 | 1 | 2 | 3 | 4 | 5 | 6) | string;
            /** @description Published by an individual (0) or a professional (1) */
            publisherTypes?: (((0 | 1) | string)[] | (0 | 1) | string) | null;
            /** @description Radius of the circle in kilometres */
            radius?: (number | string) | null;
            /** @description Charges at most */
            rentalChargesMax?: (number | string) | null;
            /** @description Charges at least */
            rentalChargesMin?: (number | string) | null;
            /** @description Deposit at most */
            rentalPledgeMax?: (number | string) | null;
            /** @description Deposit at least */
            rentalPledgeMin?: (number | string) | null;
            /** @description Fees of the tenant at most */
            renterFeesMax?: (number | string) | null;
            /** @description Fees of the tenant at least */
            renterFeesMin?: (number | string) | null;
            /** @description Rooms at most */
            roomMax?: (number | string) | null;
            /** @description Rooms at least */
            roomMin?: (number | string) | null;
            /** @description The events to send there */
            subscribedEvents?: (("ad.update.price" | "ad.update.surface" | "ad.update.pictures" | "ad.update.expired" | "property.ad.create" | "property.ad.update")[] | ("ad.update.price" | "ad.update.surface" | "ad.update.pictures" | "ad.update.expired" | "property.ad.create" | "property.ad.update")) | null;
            /** @description Surface at most */
            surfaceMax?: (number | string) | null;
            /** @description Surface at least, in square metres */
            surfaceMin?: (number | string) | null;
            /** @description The title */
            title: string;
            /** @description 0 for sale, 1 to let */
            transactionType: (0 | 1) | string;
            /** @description Only with a plausible price; defaults to true */
            withCoherentPrice?: (boolean | number | string) | null;
            /** @description Only with coordinates that an advert gives */
            withLocation?: (boolean | number | string) | null;
            /** @description Only with a virtual tour */
            withVirtualTour?: (boolean | number | string) | null;
        };
        /** @description What a search would find */
        SearchPreview: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description Name of the type */
            "@type": string;
            /** @description The first of the properties on offer */
            "hydra:member": components["schemas"]["PropertyDocument"][];
            /** @description The same as propertiesNow */
            "hydra:totalItems": number;
            /** @description The fields of the request that are not known or have no effect. Only in the answer to it, and only if there are any. */
            ignored?: string[];
            /** @description The matches that it would have made in the last 7 days */
            matchesLast7Days: components["schemas"]["MatchCount"];
            /** @description The matches that it would have made in the last 30 days */
            matchesLast30Days: components["schemas"]["MatchCount"];
            /** @description The number of properties on offer that meet it */
            propertiesNow: number;
        };
        /** @description A page of `SearchPreview` */
        SearchPreviewCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["SearchPreview"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description The parameters of a list, as a URI template */
        SearchTemplate: {
            /**
             * @description The type
             * @constant
             */
            "@type": "hydra:IriTemplate";
            /** @description The variables of the template */
            "hydra:mapping": components["schemas"]["Mapping"][];
            /** @description The URI template (RFC 6570) */
            "hydra:template": string;
            /**
             * @description How values are written: as they are
             * @constant
             */
            "hydra:variableRepresentation": "BasicRepresentation";
        };
        /** @description A session: what a person who signed in with a key may do */
        Session: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/console/session` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /**
             * Format: date-time
             * @description When the session ends, unless the key is revoked before
             */
            expiresAt: string;
            /** @description The label of the key */
            label: string | null;
            /** @description What the key may do now */
            scopes: ("read" | "searches" | "ingest" | "admin")[];
            /** @description The name of the user */
            user: string;
        };
        /** @description A page of `Session` */
        SessionCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Session"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A key to exchange for a session */
        SignIn: {
            /** @description The complete API key */
            key: string;
        };
        /** @description A source of adverts */
        Site: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/sites/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The category that the operator gave */
            category: components["schemas"]["SiteCategoryInSite"] | null;
            /** @description The domain; null if the site is known by a name */
            domain: string | null;
            /** @description The id */
            id: number;
            /** @description The name that the operator gave, else the domain or name that adverts came with */
            name: string;
        };
        /** @description What a site sent in the last 24 hours */
        SiteAdverts: {
            /** @description The number of adverts that were accepted */
            accepted: number;
            /** @description The same by hour, oldest first, without empty hours */
            hours: components["schemas"]["SiteHour"][];
            /**
             * Format: date-time
             * @description When its last advert came
             */
            lastSeenAt: string;
            /** @description The number of adverts that were refused */
            refused: number;
            /** @description The site */
            site: string;
        };
        /** @description A category of sites */
        SiteCategory: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/site_categories/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The id */
            id: number;
            /** @description The name */
            name: string;
        };
        /** @description A page of `SiteCategory` */
        SiteCategoryCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["SiteCategory"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A category of sites to create or rename */
        SiteCategoryDraft: {
            /** @description The name, which no other category has */
            name: string;
        };
        /** @description A category that a search names. The id is absent and the name null if it no longer exists. */
        SiteCategoryInSearch: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/site_categories/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The id */
            id?: number;
            /** @description The name */
            name: string | null;
        };
        /** @description A page of `SiteCategoryInSearch` */
        SiteCategoryInSearchCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["SiteCategoryInSearch"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description The category of a site */
        SiteCategoryInSite: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/site_categories/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The name */
            name: string;
        };
        /** @description A page of `SiteCategoryInSite` */
        SiteCategoryInSiteCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["SiteCategoryInSite"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A change of a site. An absent field keeps its value; null clears it. */
        SiteChange: {
            /** @description The category: its path, its id or its name */
            category?: (string | number | components["schemas"]["Reference"]) | null;
            /** @description The name; null for the domain or name that adverts came with */
            name?: string | null;
        };
        /** @description A page of `Site` */
        SiteCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Site"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description What a site sent in an hour */
        SiteHour: {
            /** @description The number of adverts that were accepted */
            accepted: number;
            /**
             * Format: date-time
             * @description When the hour began
             */
            hour: string;
            /** @description The number of adverts that were refused */
            refused: number;
        };
        /** @description Adverts that become a property of their own */
        SplitDraft: {
            /** @description The paths or uuids of the adverts */
            adverts: string[];
        };
        /** @description A station of a train, metro or tram */
        Station: {
            /** @description The id */
            id: number;
            /** @description The lines that stop there */
            lines: components["schemas"]["Line"][];
            /** @description The name */
            name: string;
        };
        /** @description A station, and where it is */
        StationWithPoint: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/stations/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The id */
            id: number;
            /** @description The lines that stop there */
            lines: components["schemas"]["Line"][];
            /** @description Where it is */
            locations: components["schemas"]["Point"];
            /** @description The name */
            name: string;
        };
        /** @description A page of `StationWithPoint` */
        StationWithPointCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["StationWithPoint"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description How the server fares. What is counted begins with the process. */
        Status: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/status` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The last day by quarter of an hour; the last value is of one that is not complete */
            day: components["schemas"]["StatusSeries"];
            /** @description The last hour by minute */
            hour: components["schemas"]["StatusSeries"];
            /** @description The level of the log; null if the process does not write its own */
            logLevel: string | null;
            /** @description The figures of now */
            now: components["schemas"]["StatusNow"];
            /** @description What retention deleted and left */
            retention: components["schemas"]["RetentionFigures"];
            /** @description The settings that differ from their default */
            settings: components["schemas"]["ChangedSetting"][];
            /** @description What each site sent in the last 24 hours, most first; at most 1,000 sites */
            sites: components["schemas"]["SiteAdverts"][];
            /**
             * Format: date-time
             * @description When the process started
             */
            startedAt: string;
            /** @description The version of the server */
            version: string;
            /** @description The workers in the background */
            workers: components["schemas"]["WorkerStatus"][];
        };
        /** @description A page of `Status` */
        StatusCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Status"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description The figures of now */
        StatusNow: {
            /** @description The size of the database after the last round of retention */
            databaseBytes: number;
            /** @description Whether an operator holds all deliveries */
            deliveriesHeld: boolean;
            /** @description The number of attempts in progress */
            deliveriesInFlight: number;
            /** @description The number of deliveries that wait, for a retry too */
            deliveriesPending: number;
            /** @description The size of that disk; null if the system does not tell */
            diskBytes: number | null;
            /** @description The free space of the disk with the data folder; null if the system does not tell */
            diskFreeBytes: number | null;
            /** @description How many log entries the index is behind */
            indexLag: number;
            /** @description Whether the index is built */
            isReady: boolean;
            /** @description The last position of the change log */
            logPosition: number;
            /** @description How many log entries the matcher is behind */
            matcherLag: number;
            /** @description The resident memory of the process; null if the system does not tell */
            memoryBytes: number | null;
            /** @description For how long the oldest due delivery has been due; 0 if none is */
            oldestDueSeconds: number;
            /** @description The number of properties in the index */
            properties: number;
            /** @description The number of requests in progress */
            requestsInFlight: number;
            /** @description The number of saved searches that are matched */
            savedSearches: number;
        };
        /** @description Values over time */
        StatusSeries: {
            /** @description By name, a number for each time, or null if there is none. Counts are of the interval: `advertsCreated`, `advertsUpdated`, `advertsUnchanged`, `advertsRefused`, `requests`, `requestsFailed`, `searches`, `matches`, `deliveriesDelivered`, `deliveriesFailed`. `searchP50Ms` and `searchP99Ms` are estimates within the buckets of the histogram. The others are as at its end, in `day` the worst: `indexLag`, `matcherLag`, `deliveriesPending`, `oldestDueSeconds`, `databaseBytes`, `memoryBytes`, `diskFreeBytes`. */
            series: {
                [key: string]: unknown[];
            };
            /** @description The end of each interval, oldest first */
            times: string[];
        };
        /** @description How long the phases of an attempt took. A phase that did not begin is null: a connection that is reused needs only the last. The phase in which an attempt failed counts up to the failure. */
        Timings: {
            /** @description Opening the connection, in milliseconds */
            connectMs: number | null;
            /** @description From the request to the head of the response, in milliseconds */
            firstByteMs: number | null;
            /** @description Resolving the host name, in milliseconds */
            nameMs: number | null;
            /** @description The TLS handshake, in milliseconds */
            tlsMs: number | null;
        };
        /** @description What a key used on one day. Deliveries, which no key asked for, have a member of their own. */
        Usage: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/usage` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The day, in the time zone of the service (`YYYY-MM-DD`, `YYYY-MM-DD HH:MM:SS`, or ISO 8601) */
            day: string;
            /** @description The number of e-mails that were delivered */
            emails: number;
            /** @description The number of members, lines, receipts and single resources in the answers */
            items: number;
            /** @description The key; null for deliveries (Path of a Key) */
            key: string | null;
            /** @description The label of the key */
            label: string | null;
            /** @description The requests by operation */
            operations: components["schemas"]["OperationUsage"][];
            /** @description The number of requests that passed the checks of key, scope and limit */
            requests: number;
            /** @description The name of the user */
            user: string;
            /** @description The number of webhooks that were delivered */
            webhooks: number;
        };
        /** @description A page of `Usage` */
        UsageCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["Usage"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description Links to the pages of a list. All other parameters are kept. */
        View: {
            /** @description This page (Path of a Collection) */
            "@id": string;
            /**
             * @description The type
             * @constant
             */
            "@type": "hydra:PartialCollectionView";
            /** @description The first page (Path of a Collection) */
            "hydra:first": string;
            /** @description The last page; absent if it is not known where it begins (Path of a Collection) */
            "hydra:last"?: string;
            /** @description The page after; absent on the last one (Path of a Collection) */
            "hydra:next"?: string;
            /** @description The page before; absent on the first one (Path of a Collection) */
            "hydra:previous"?: string;
            /** @description The oldest advert that was scanned for this page; only of doubtful pairs (Path of a Advert) */
            oldestAdvert?: string;
            /** @description How many adverts were scanned for this page; only of doubtful pairs */
            scannedAdverts?: number;
        };
        /** @description What a search asks for. Only the keys that apply are there. */
        WantedValue: {
            /** @description One of these codes, places or sites */
            anyOf?: (number | string | components["schemas"]["NamedItem"])[];
            /** @description A feature with these words */
            feature?: string;
            /**
             * Format: date-time
             * @description On or after
             */
            from?: string;
            /** @description The latitude of the centre of a circle, in degrees */
            lat?: number;
            /** @description Its longitude in degrees */
            lon?: number;
            /** @description At most */
            max?: number;
            /** @description At least */
            min?: number;
            /** @description None of these */
            noneOf?: (number | string | components["schemas"]["NamedItem"])[];
            /** @description Inside one of so many polygons */
            polygons?: number;
            /** @description Its radius in kilometres */
            radius?: number;
            /**
             * Format: date-time
             * @description On or before
             */
            to?: string;
        };
        /** @description An event of an advert: what eventEndpoint receives */
        WebhookEvent: {
            /** @description What changed */
            adEvent: components["schemas"]["AdEventInWebhook"];
            /**
             * @description The name of the event
             *
             *     - `ad.update.price`: The price of an advert changed
             *     - `ad.update.surface`: The surface of an advert changed
             *     - `ad.update.pictures`: The pictures of an advert changed
             *     - `ad.update.expired`: An advert expired
             *     - `property.ad.create`: A new advert
             *     - `property.ad.update`: Any other field of an advert changed
             * @enum {string}
             */
            event: "ad.update.price" | "ad.update.surface" | "ad.update.pictures" | "ad.update.expired" | "property.ad.create" | "property.ad.update";
            /** @description The property and the search that the event is sent for */
            match: components["schemas"]["WebhookMatch"];
        };
        /** @description A match as webhooks carry it: what endpointRecipient receives */
        WebhookMatch: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/matches/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /**
             * Format: date-time
             * @description When the property started to meet the search
             */
            createdAt: string;
            /** @description The match again, where events have it. Only if a setting of the service asks for it. */
            match?: components["schemas"]["WebhookMatch"];
            /** @description The property (Path of a Property) */
            property: string;
            /** @description The property as it was then */
            propertyDocument: components["schemas"]["WebhookPropertyDocument"];
            /** @description The saved search (Path of a Search) */
            search: string;
            /**
             * Format: date-time
             * @description The same as createdAt
             */
            updatedAt: string;
        };
        /** @description A page of `WebhookMatch` */
        WebhookMatchCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["WebhookMatch"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A property document as webhooks carry it: as it was at the time of the match or event */
        WebhookPropertyDocument: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/documents/properties/{id}` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /** @description The adverts of the property, in the order in which they joined it */
            adverts: components["schemas"]["AdvertInProperty"][];
            /** @description The number of bedrooms */
            bedroom: number | null;
            /** @description The commune, or what the sender gave if the commune is not known */
            city: components["schemas"]["CityInWebhook"] | null;
            /** @description Whether the price is plausible */
            coherentPrice: boolean;
            /**
             * Format: date-time
             * @description When the earliest advert was created
             */
            createdAt: string;
            /** @description The description, as plain text */
            description: string | null;
            /** @description The name of the neighbourhood */
            district: string | null;
            /** @description Whether the building has a lift */
            elevator: boolean | null;
            /** @description Whether all adverts are expired: the property is no longer on offer */
            expired: boolean;
            /**
             * Format: date-time
             * @description When the last advert expired; null unless all are expired
             */
            expiredAt: string | null;
            /** @description The floor; 0 is the ground floor, negative numbers are below ground */
            floor: number | null;
            /** @description Whether the property is furnished */
            furnished: boolean | null;
            /**
             * @description How accurate the coordinates are (1 House number, 2 Neighbourhood or centre of the city)
             * @enum {integer|null}
             */
            geoAccuracy: 1 | 2 | null;
            /** @description The surface of the land in square metres */
            landSurface: number | null;
            /**
             * Format: uuid
             * @description The uuid of the reference advert: the most recently seen one that is not expired, or the most recently seen one if all are expired
             */
            lastCrawledAdvert: string;
            /**
             * Format: date-time
             * @description When an advert that is not expired was last seen; null if all are expired
             */
            lastCrawledAt: string | null;
            /** @description The same as locations */
            location: components["schemas"]["Point"] | null;
            /** @description The coordinates: those of an advert, else the centre of the commune */
            locations: components["schemas"]["Point"] | null;
            /** @description The pictures of the reference advert, then those of the others, without repeats */
            pictures: string[];
            /** @description The price in euros; of a rental, the rent. Of a new-building programme, that of the smallest lot. */
            price: number | null;
            /** @description The price divided by the surface, in euros per square metre, with two decimals; null for a life annuity */
            pricePerMeter: number | null;
            /**
             * @description What is wrong with the price; null if nothing is
             *
             *     - `noPrice`: No price: on request, or left out
             *     - `placeholder`: A number that stands for no price, such as 1
             *     - `belowBounds`: Below what such a property costs anywhere
             *     - `aboveBounds`: Above what such a property costs anywhere
             *     - `rentInSale`: The price of a sale is an ordinary rent
             *     - `salePriceInRent`: The rent is an ordinary price of a sale
             *     - `yearlyRent`: The rent is an ordinary one for a year
             *     - `nightlyRent`: The rent is an ordinary one for a night
             *     - `tenfold`: About ten times what is usual around there
             *     - `tenth`: About a tenth of what is usual
             *     - `hundredfold`: About a hundred times what is usual: a lost decimal comma
             *     - `hundredth`: About a hundredth of what is usual
             *     - `outlier`: Far from what is usual, for none of these reasons
             * @enum {string|null}
             */
            priceProblem: "noPrice" | "placeholder" | "belowBounds" | "aboveBounds" | "rentInSale" | "salePriceInRent" | "yearlyRent" | "nightlyRent" | "tenfold" | "tenth" | "hundredfold" | "hundredth" | "outlier" | null;
            /** @description The path that other objects name the property by (Path of a Property) */
            property: string;
            /**
             * @description The type of property (0 Apartment, 1 House, 2 Building, 3 Parking, 4 Office, 5 Land, 6 Shop)
             * @enum {integer}
             */
            propertyType: 0 | 1 | 2 | 3 | 4 | 5 | 6;
            /** @description The types of the publishers of its adverts, without repeats */
            publisherTypes: (0 | 1)[];
            /** @description The number of rooms, without kitchen and bathroom. Of a new-building programme, that of the smallest lot. */
            room: number | null;
            /** @description The stations within walking distance of coordinates that an advert gave, nearest first */
            stations: components["schemas"]["Station"][];
            /** @description The living surface in square metres. Of a new-building programme, that of the smallest lot. */
            surface: number | null;
            /** @description The title */
            title: string | null;
            /**
             * @description For sale or to let (0 Sell, 1 Rent)
             * @enum {integer}
             */
            transactionType: 0 | 1;
            /**
             * Format: date-time
             * @description When an advert last changed
             */
            updatedAt: string;
            /**
             * Format: uuid
             * @description The id of the property
             */
            uuid: string;
        };
        /** @description A page of `WebhookPropertyDocument` */
        WebhookPropertyDocumentCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["WebhookPropertyDocument"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description The secret that your webhooks are signed with */
        WebhookSecret: {
            /** @description Path of the JSON-LD context */
            "@context"?: string;
            /** @description `/webhook-secret` */
            "@id": string;
            /** @description Name of the type */
            "@type": string;
            /**
             * Format: date-time
             * @description When it was created
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description Until when messages are signed with the previous secret as well; null if there is none
             */
            previousSecretValidUntil: string | null;
            /** @description The secret, as libraries for Standard Webhooks take it */
            secret: string;
        };
        /** @description A page of `WebhookSecret` */
        WebhookSecretCollection: {
            /** @description Path of the JSON-LD context */
            "@context": string;
            /** @description Path of the collection */
            "@id": string;
            /** @constant */
            "@type": "hydra:Collection";
            "hydra:member": components["schemas"]["WebhookSecret"][];
            "hydra:search"?: components["schemas"]["SearchTemplate"];
            /** @description How many there are in all */
            "hydra:totalItems": number;
            "hydra:view"?: components["schemas"]["View"];
        };
        /** @description A worker in the background */
        WorkerStatus: {
            /** @description How often it failed and started again */
            failures: number;
            /** @description Whether it stands still; the log says why */
            isStalled: boolean;
            /** @description The name, as in the log */
            name: string;
        };
    };
    responses: {
        /** @description The request does not fit the present state */
        Conflict: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description The key lacks the scope that the operation needs, or a request with a session comes from another origin */
        Forbidden: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description The request line and the headers are too large */
        HeadersTooLarge: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description A defect of the service; quote `X-Request-Id` when you report it */
        Internal: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description Everything can be parsed, but a rule is broken */
        Invalid: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ConstraintViolationList"] | components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["ConstraintViolationList"] | components["schemas"]["Error"];
            };
        };
        /** @description Something cannot be parsed: JSON, a type, a reference or a parameter */
        Malformed: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ConstraintViolationList"] | components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["ConstraintViolationList"] | components["schemas"]["Error"];
            };
        };
        /** @description `Accept` allows no media type that the operation has */
        NotAcceptable: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such thing, or it belongs to another user */
        NotFound: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description The receiver of a sample webhook did not answer 200, or the server of a picture did not send one */
        ReceiverFailed: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description The request took too long, or its body arrived too slowly */
        Timeout: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than the limit of the operation, which the answer names */
        TooLarge: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description Too many requests of this key, or of its user at the same time */
        TooManyRequests: {
            headers: {
                Link: components["headers"]["Link"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description The key or session is missing, unknown, revoked or expired */
        Unauthorized: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description The service starts, stops or is overloaded: try again. Without `Retry-After`: the query is too expensive */
        Unavailable: {
            headers: {
                Link: components["headers"]["Link"];
                "Retry-After": components["headers"]["Retry-After"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description The media type or the encoding of the body is not supported */
        UnsupportedMediaType: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
        /** @description The address is too long; a query may have 64 KiB */
        UriTooLong: {
            headers: {
                Link: components["headers"]["Link"];
                "Server-Timing": components["headers"]["Server-Timing"];
                "X-Ignored-Parameters": components["headers"]["X-Ignored-Parameters"];
                "X-Log-Position": components["headers"]["X-Log-Position"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
                "application/ld+json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Where the Hydra documentation is */
        Link: string;
        /** @description Path of the object */
        Location: string;
        /** @description What is left of the rate limit */
        RateLimit: string;
        /** @description The rate limit, if one is set */
        "RateLimit-Policy": string;
        /** @description Seconds to wait */
        "Retry-After": string;
        /** @description How long the service worked on the request until its answer began, in milliseconds */
        "Server-Timing": string;
        /** @description The cookie of the session */
        "Set-Cookie": string;
        /** @description How to authenticate */
        "WWW-Authenticate": string;
        /** @description Parameters and attributes that the service does not know; absent if there are none */
        "X-Ignored-Parameters": string;
        /** @description The log position up to which searches of this server see every change */
        "X-Log-Position": string;
        /** @description The id of the request, from the request itself or made by the service */
        "X-Request-Id": string;
        /** @description How many lines there are */
        "X-Total-Items": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    entryPoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The paths of the collections */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: string;
                    };
                    "application/ld+json": {
                        [key: string]: string;
                    };
                };
            };
        };
    };
    sendAdverts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16 MiB, unless `limits.body_bytes_max` says otherwise. A stream of lines has no limit. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdvertDraft"] | components["schemas"]["AdvertDraft"][];
                "application/ld+json": components["schemas"]["AdvertDraft"] | components["schemas"]["AdvertDraft"][];
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description One advert was updated or unchanged; or the receipts of an array, in its order; or one line per line */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdvertReceipt"] | components["schemas"]["AdvertReceiptCollection"];
                    "application/ld+json": components["schemas"]["AdvertReceipt"] | components["schemas"]["AdvertReceiptCollection"];
                    "application/x-ndjson": string;
                };
            };
            /** @description One advert was created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdvertReceipt"];
                    "application/ld+json": components["schemas"]["AdvertReceipt"];
                };
            };
        };
    };
    advert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of an advert */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The advert */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Advert"];
                    "application/ld+json": components["schemas"]["Advert"];
                };
            };
        };
    };
    eraseAdvert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of an advert */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The advert is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    expireAdvert: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of an advert */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The advert is expired */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdvertReceipt"];
                    "application/ld+json": components["schemas"]["AdvertReceipt"];
                };
            };
        };
    };
    advertPicture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Number of the picture, from 0 */
                n: number;
                /** @description uuid of an advert */
                uuid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture, under its own media type */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/*": string;
                };
            };
        };
    };
    cities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of cities */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CityCollection"];
                    "application/ld+json": components["schemas"]["CityCollection"];
                };
            };
        };
    };
    city: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id or INSEE code of a city */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The city */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["City"];
                    "application/ld+json": components["schemas"]["City"];
                };
            };
        };
    };
    cityOutline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id or INSEE code of a city */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The border */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/geo+json": components["schemas"]["Outline"];
                    "application/json": components["schemas"]["Outline"];
                };
            };
        };
    };
    session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session, with what its key may do now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                    "application/ld+json": components["schemas"]["Session"];
                };
            };
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
                "application/ld+json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description The session; the cookie is set */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                    "application/ld+json": components["schemas"]["Session"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended, and the cookie is removed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    context: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of a type, such as `PropertyDocument` */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The context */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "application/ld+json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    deliveries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryCollection"];
                    "application/ld+json": components["schemas"]["DeliveryCollection"];
                };
            };
        };
    };
    delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of a delivery */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryWithAttempts"];
                    "application/ld+json": components["schemas"]["DeliveryWithAttempts"];
                };
            };
        };
    };
    replayDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of a delivery */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 4 KiB. */
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
                "application/ld+json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The delivery is pending */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryWithAttempts"];
                    "application/ld+json": components["schemas"]["DeliveryWithAttempts"];
                };
            };
        };
    };
    deliveryRequest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of a delivery */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryRequest"];
                    "application/ld+json": components["schemas"]["DeliveryRequest"];
                };
            };
        };
    };
    deliveryHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryHealth"];
                    "application/ld+json": components["schemas"]["DeliveryHealth"];
                };
            };
        };
    };
    departments: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of departments */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DepartmentCollection"];
                    "application/ld+json": components["schemas"]["DepartmentCollection"];
                };
            };
        };
    };
    department: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id or code of a department */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The department */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Department"];
                    "application/ld+json": components["schemas"]["Department"];
                };
            };
        };
    };
    departmentOutline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id or code of a department */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The border */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/geo+json": components["schemas"]["Outline"];
                    "application/json": components["schemas"]["Outline"];
                };
            };
        };
    };
    apiPage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page for a browser, or a document for programs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "application/ld+json": {
                        [key: string]: unknown;
                    };
                    "application/vnd.oai.openapi+json": {
                        [key: string]: unknown;
                    };
                    "text/html": string;
                };
            };
        };
    };
    openApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An OpenAPI 3.1 document */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    hydraDocumentation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Classes, their properties and operations */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                    "application/ld+json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
    apiPageFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the file */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/javascript": string;
                };
            };
        };
    };
    listProperties: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of properties */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertyDocumentCollection"];
                    "application/ld+json": components["schemas"]["PropertyDocumentCollection"];
                };
            };
        };
    };
    exportProperties: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The documents, one per line */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    property: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of a property */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The property */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertyDocument"];
                    "application/ld+json": components["schemas"]["PropertyDocument"];
                };
            };
        };
    };
    grouping: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of a property */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The grouping of the property, or the comparison of two adverts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertyGrouping"] | components["schemas"]["AdvertComparison"];
                    "application/ld+json": components["schemas"]["PropertyGrouping"] | components["schemas"]["AdvertComparison"];
                };
            };
        };
    };
    similarProperties: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of a property */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of properties */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertyDocumentCollection"];
                    "application/ld+json": components["schemas"]["PropertyDocumentCollection"];
                };
            };
        };
    };
    propertyByUrl: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The property */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertyDocument"];
                    "application/ld+json": components["schemas"]["PropertyDocument"];
                };
            };
        };
    };
    clusters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The properties of the viewport */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clusters"];
                    "application/ld+json": components["schemas"]["Clusters"];
                };
            };
        };
    };
    facets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A histogram of each field */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Facets"];
                    "application/ld+json": components["schemas"]["Facets"];
                };
            };
        };
    };
    decideGrouping: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupingDecisionDraft"];
                "application/ld+json": components["schemas"]["GroupingDecisionDraft"];
            };
        };
        responses: {
            /** @description The decision, and what followed from it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupingDecision"];
                    "application/ld+json": components["schemas"]["GroupingDecision"];
                };
            };
        };
    };
    doubtfulPairs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pairs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoubtfulPairCollection"];
                    "application/ld+json": components["schemas"]["DoubtfulPairCollection"];
                };
            };
        };
    };
    alive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                    "application/ld+json": components["schemas"]["Health"];
                };
            };
        };
    };
    pricePerMeter: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A collection with one member */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PricePerMeterCollection"];
                    "application/ld+json": components["schemas"]["PricePerMeterCollection"];
                };
            };
        };
    };
    keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyCollection"];
                    "application/ld+json": components["schemas"]["KeyCollection"];
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyDraft"];
                "application/ld+json": components["schemas"]["KeyDraft"];
            };
        };
        responses: {
            /** @description The key */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                    "application/ld+json": components["schemas"]["Key"];
                };
            };
        };
    };
    key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of a key */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, without its text */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                    "application/ld+json": components["schemas"]["Key"];
                };
            };
        };
    };
    changeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of a key */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 16 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyChange"];
                "application/ld+json": components["schemas"]["KeyChange"];
            };
        };
        responses: {
            /** @description The key as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                    "application/ld+json": components["schemas"]["Key"];
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of a key */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is refused from now on */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    mapTile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The column, from west to east */
                x: number;
                /** @description The row, from north to south */
                y: number;
                /** @description The zoom, from 0 to 14 */
                z: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tile */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.mapbox-vector-tile": string;
                };
            };
        };
    };
    match: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of a match */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The match */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Match"];
                    "application/ld+json": components["schemas"]["Match"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/openmetrics-text": string;
                };
            };
        };
    };
    propertyRedirect: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of a property */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    splitProperty: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of a property */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SplitDraft"];
                "application/ld+json": components["schemas"]["SplitDraft"];
            };
        };
        responses: {
            /** @description The new property */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertySplit"];
                    "application/ld+json": components["schemas"]["PropertySplit"];
                };
            };
        };
    };
    mergeProperties: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["MergeDraft"];
                "application/ld+json": components["schemas"]["MergeDraft"];
            };
        };
        responses: {
            /** @description The properties are one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PropertyMerge"];
                    "application/ld+json": components["schemas"]["PropertyMerge"];
                };
            };
        };
    };
    autocomplete: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The suggestions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LocationCollection"];
                    "application/ld+json": components["schemas"]["LocationCollection"];
                };
            };
        };
    };
    recipientPage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Token from the link in an e-mail */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page for a browser */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    confirmRecipient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Token from the link in an e-mail */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page for a browser */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It can */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                    "application/ld+json": components["schemas"]["Health"];
                };
            };
        };
    };
    regions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of regions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegionCollection"];
                    "application/ld+json": components["schemas"]["RegionCollection"];
                };
            };
        };
    };
    region: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id or code of a region */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The region */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Region"];
                    "application/ld+json": components["schemas"]["Region"];
                };
            };
        };
    };
    searches: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of your searches */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchCollection"];
                    "application/ld+json": components["schemas"]["SearchCollection"];
                };
            };
        };
    };
    createSearch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 1 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchDraft"];
                "application/ld+json": components["schemas"]["SearchDraft"];
            };
        };
        responses: {
            /** @description The search */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Search"];
                    "application/ld+json": components["schemas"]["Search"];
                };
            };
        };
    };
    search: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid or token of a search */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The search */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Search"];
                    "application/ld+json": components["schemas"]["Search"];
                };
            };
        };
    };
    updateSearch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid or token of a search */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 1 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchDraft"];
                "application/ld+json": components["schemas"]["SearchDraft"];
            };
        };
        responses: {
            /** @description The search as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Search"];
                    "application/ld+json": components["schemas"]["Search"];
                };
            };
        };
    };
    updateSearchByPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid or token of a search */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 1 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchDraft"];
                "application/ld+json": components["schemas"]["SearchDraft"];
            };
        };
        responses: {
            /** @description The search as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Search"];
                    "application/ld+json": components["schemas"]["Search"];
                };
            };
        };
    };
    deleteSearch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid or token of a search */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The search is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    explainSearch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid or token of a search */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each criterion, with the value that meets or fails it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                    "application/ld+json": components["schemas"]["Explanation"];
                };
            };
        };
    };
    searchMatches: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid or token of a search */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of matches */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchCollection"];
                    "application/ld+json": components["schemas"]["MatchCollection"];
                };
            };
        };
    };
    searchMatchesByDay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid or token of a search */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The counts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchesByDay"];
                    "application/ld+json": components["schemas"]["MatchesByDay"];
                };
            };
        };
    };
    replayCount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid or token of a search */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many they are */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayCount"];
                    "application/ld+json": components["schemas"]["ReplayCount"];
                };
            };
        };
    };
    replaySearch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid or token of a search */
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 4 KiB. */
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReplayDraft"];
                "application/ld+json": components["schemas"]["ReplayDraft"];
            };
        };
        responses: {
            /** @description How many deliveries are pending again */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                    "application/ld+json": components["schemas"]["Replay"];
                };
            };
        };
    };
    matchesByDay: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of counts, one member for each search */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MatchesByDayCollection"];
                    "application/ld+json": components["schemas"]["MatchesByDayCollection"];
                };
            };
        };
    };
    previewSearch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 1 MiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewDraft"];
                "application/ld+json": components["schemas"]["PreviewDraft"];
            };
        };
        responses: {
            /** @description Counts and the first properties */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchPreview"];
                    "application/ld+json": components["schemas"]["SearchPreview"];
                };
            };
        };
    };
    siteCategories: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of categories */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteCategoryCollection"];
                    "application/ld+json": components["schemas"]["SiteCategoryCollection"];
                };
            };
        };
    };
    createSiteCategory: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 16 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteCategoryDraft"];
                "application/ld+json": components["schemas"]["SiteCategoryDraft"];
            };
        };
        responses: {
            /** @description The category */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteCategory"];
                    "application/ld+json": components["schemas"]["SiteCategory"];
                };
            };
        };
    };
    siteCategory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of a category */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The category */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteCategory"];
                    "application/ld+json": components["schemas"]["SiteCategory"];
                };
            };
        };
    };
    renameSiteCategory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of a category */
                id: number;
            };
            cookie?: never;
        };
        /** @description At most 16 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteCategoryDraft"];
                "application/ld+json": components["schemas"]["SiteCategoryDraft"];
            };
        };
        responses: {
            /** @description The category as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteCategory"];
                    "application/ld+json": components["schemas"]["SiteCategory"];
                };
            };
        };
    };
    deleteSiteCategory: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of a category */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The category is gone */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    sites: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of sites */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteCollection"];
                    "application/ld+json": components["schemas"]["SiteCollection"];
                };
            };
        };
    };
    site: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of a site */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The site */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                    "application/ld+json": components["schemas"]["Site"];
                };
            };
        };
    };
    changeSite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of a site */
                id: number;
            };
            cookie?: never;
        };
        /** @description At most 16 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["SiteChange"];
                "application/ld+json": components["schemas"]["SiteChange"];
            };
        };
        responses: {
            /** @description The site as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Site"];
                    "application/ld+json": components["schemas"]["Site"];
                };
            };
        };
    };
    station: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Token from the link in an e-mail */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The station */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StationWithPoint"];
                    "application/ld+json": components["schemas"]["StationWithPoint"];
                };
            };
        };
    };
    status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Status"];
                    "application/ld+json": components["schemas"]["Status"];
                };
            };
        };
    };
    setLogLevel: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 KiB. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["LogLevelChange"];
                "application/ld+json": components["schemas"]["LogLevelChange"];
            };
        };
        responses: {
            /** @description The level from now on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogLevel"];
                    "application/ld+json": components["schemas"]["LogLevel"];
                };
            };
        };
    };
    refusedAdverts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reasons, with examples */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefusedAdverts"];
                    "application/ld+json": components["schemas"]["RefusedAdverts"];
                };
            };
        };
    };
    unsubscribePage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of a search */
                search: string;
                /** @description Token from the link in an e-mail */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page for a browser */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description uuid of a search */
                search: string;
                /** @description Token from the link in an e-mail */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page for a browser */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    usage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of days */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageCollection"];
                    "application/ld+json": components["schemas"]["UsageCollection"];
                };
            };
        };
    };
    webhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The secret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                    "application/ld+json": components["schemas"]["WebhookSecret"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 KiB. */
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
                "application/ld+json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The new secret */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecret"];
                    "application/ld+json": components["schemas"]["WebhookSecret"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was sent; the receiver answered 200 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookMatch"] | components["schemas"]["WebhookEvent"];
                    "application/ld+json": components["schemas"]["WebhookMatch"] | components["schemas"]["WebhookEvent"];
                };
            };
        };
    };
}
