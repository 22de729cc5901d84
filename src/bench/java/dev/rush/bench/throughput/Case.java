package dev.rush.bench.throughput;

import dev.rush.redis.Script;
import dev.rush.testing.Resp;
import java.util.ArrayList;
import java.util.List;

/**
 * Something that is measured.
 *
 * @param service that answers
 * @param play prepares a run
 */
record Case(String name, Service service, Preparation play) {
    private static final String BODY = "{\"items\":[{\"sku\":\"unit\",\"quantity\":1}]}";
    private static final int PLENTY = 1_000_000_000;
    private static final int ENVELOPES = 500_000;

    /** Makes all ready for one run. */
    interface Preparation {
        Run prepare();
    }

    /**
     * One run, ready to go.
     *
     * @param id of the sale or rain; null: none
     * @param refused whether all requests are refused; else none is
     * @param taken reads how many units were taken; null: none are
     */
    record Run(String id, Load load, boolean refused, Taken taken) {
    }

    /** Reads how many units were taken. */
    interface Taken {
        long read();
    }

    /** All cases that the stage allows. */
    static List<Case> all(Stage stage) {
        Service rush = stage.rush();
        List<Case> cases = new ArrayList<>();
        cases.add(new Case("no-op", rush, () -> new Run(null,
                new Load(rush.url() + "/v1/bench/no-op", "post", "u", BODY), false, null)));
        cases.add(purchase("purchase", stage, rush, "post"));
        cases.add(purchase("purchase with a key", stage, rush, "key"));
        cases.add(soldOut("sold-out, no key", stage, "post"));
        cases.add(soldOut("sold-out with a key", stage, "key"));
        cases.add(new Case("GET of a sale", rush, () -> {
            String id = sale(stage, PLENTY);
            return new Run(id, new Load(rush.url() + "/v1/sales/" + id, "get", "", ""),
                    false, null);
        }));
        cases.add(grab(stage));
        stage.webdisIfInstalled().ifPresent(webdis -> cases.add(webdis(stage, webdis)));
        stage.springIfBuilt().ifPresent(
                spring -> cases.add(purchase("purchase", stage, spring, "post")));
        return cases;
    }

    private static Case purchase(String name, Stage stage, Service service, String kind) {
        return new Case(name, service, () -> {
            String id = sale(stage, PLENTY);
            return new Run(id, new Load(service.url() + "/v1/sales/" + id + "/purchases", kind,
                    "u", BODY), false, () -> ordered(stage, id));
        });
    }

    private static Case soldOut(String name, Stage stage, String kind) {
        return new Case(name, stage.rush(), () -> {
            String id = sale(stage, 0);
            return new Run(id, new Load(stage.rush().url() + "/v1/sales/" + id + "/purchases",
                    kind, "u", BODY), true, null);
        });
    }

    private static Case grab(Stage stage) {
        return new Case("grab", stage.rush(), () -> {
            String id = stage.newId("rain");
            stage.operator().prepare("/v1/rains/" + id, "{\"envelopes\":{\"total\":"
                    + 100L * ENVELOPES + ",\"count\":" + ENVELOPES + ",\"split\":\"even\"}}");
            return new Run(id, new Load(stage.rush().url() + "/v1/rains/" + id + "/grabs", "post",
                    "u", "{}"), false, () -> granted(stage, id));
        });
    }

    private static Case webdis(Stage stage, Service webdis) {
        return new Case("purchase", webdis, () -> {
            String id = sale(stage, PLENTY);
            String sale = stage.partition().key("sale:" + id + ":");
            String command = String.join("/", "EVALSHA", Script.load("sale/purchase").sha1(), "9",
                    sale + "conf", sale + "stock", sale + "buyers", sale + "keys",
                    sale + "orders", sale + "placed", sale + "guard", stage.partition().orders(),
                    stage.partition().sequence(), "2000000", id, "9999999999999", "%o",
                    "%s", "%o", "=", "unit:1");
            return new Run(id, new Load(webdis.url() + "/", "webdis", "u", command), false,
                    () -> ordered(stage, id));
        });
    }

    private static String sale(Stage stage, int total) {
        String id = stage.newId("sale");
        stage.operator().prepare("/v1/sales/" + id, "{\"items\":[{\"sku\":\"unit\",\"total\":"
                + total + ",\"limitPerUser\":1}]}");
        return id;
    }

    private static long ordered(Stage stage, String id) {
        try (Resp redis = stage.redis()) {
            return Long.parseLong(redis.text("HGET",
                    stage.partition().key("sale:" + id + ":stock"), "unit:ordered"));
        }
    }

    private static long granted(Stage stage, String id) {
        try (Resp redis = stage.redis()) {
            return Long.parseLong(redis.text("HGET",
                    stage.partition().key("rain:" + id + ":conf"), "granted"));
        }
    }
}
