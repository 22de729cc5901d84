package com.example.shop;

import java.util.List;
import rush.client.model.SaleDefinition;
import rush.client.model.SaleDefinitionItem;

/** The items of the shop. Rush keeps the stock, the shop the prices. */
final class Catalogue {
    static final String CURRENCY = "EUR";
    static final List<Item> ITEMS = List.of(
            new Item("lamp", "A lamp", 4_900, 5), new Item("chair", "A chair", 12_900, 20));

    /** @param price in cents */
    record Item(String sku, String title, long price, long total) {
    }

    private Catalogue() {
    }

    static long price(String sku) {
        return ITEMS.stream().filter(item -> item.sku().equals(sku)).findAny().orElseThrow()
                .price();
    }

    static boolean has(String sku) {
        return ITEMS.stream().anyMatch(item -> item.sku().equals(sku));
    }

    /** Defines a sale of all items, with a limit of two of each per user. */
    static SaleDefinition sale(String paymentWindow) {
        return new SaleDefinition().title("The shop's day").paymentWindow(paymentWindow)
                .items(ITEMS.stream().map(item -> new SaleDefinitionItem().sku(item.sku())
                        .title(item.title()).total(item.total()).limitPerUser(2L)).toList());
    }
}
