package dev.rush.bench.throughput;

import dev.rush.redis.Script;
import dev.rush.testing.Resp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One kind of request to one service.
 *
 * @param service the service that answers
 * @param preparation prepares a run
 */
record Case(String name, Service service, Preparation preparation) {
    private static final String BODY = "{\"items\":[{\"sku\":\"unit\",\"quantity\":1}]}";
    private static final int UNITS = 1_000_000_000;
    private static final int ENVELOPES = 500_000;
    private static final Path MINIMAL = Path.of("bench", "minimal.lua");
    /** Names by which {@link Report} and {@link Throughput} find cases. */
    static final String MINIMAL_PURCHASE = "purchase, minimal script";
    static final String REPLICATED = "purchase, answered once replicas have it";
    static final String STORED = "purchase, answered once PostgreSQL has it";
    static final String PACED = " at 70 % of webdis's minimal rate";

    /** Prepares data for one run. */
    interface Preparation {
        Run prepare();
    }

    /**
     * A prepared run.
     *
     * @param id the sale or rain; null: none
     * @param refused whether all requests must be refused, rather than none
     * @param taken counts the units taken; null: not checked
     */
    record Run(String id, Load load, boolean refused, Taken taken) {
    }

    /** Counts the units taken, from the data in Redis. */
    interface Taken {
        long read();
    }

    /** Returns the cases of a stage; with replicas or storing, only those that show their cost. */
    static List<Case> all(Stage stage) {
        Service rush = stage.rush();
        List<Case> cases = new ArrayList<>();
        if (stage.replicas() > 0) {
            cases.add(purchase("purchase", stage, rush, "post"));
            cases.add(purchase(REPLICATED, stage, rush, "post", ",\"durability\":\"replicas\""));
            return cases;
        }
        if (stage.isStoring()) {
            cases.add(purchase("purchase", stage, rush, "post"));
            cases.add(purchase(STORED, stage, rush, "post", ",\"durability\":\"ledger\""));
            return cases;
        }
        cases.add(new Case("no-op", rush, () -> new Run(null,
                new Load(rush.url() + "/v1/bench/no-op", "post", "u", BODY), false, null)));
        cases.add(purchase("purchase", stage, rush, "post"));
        cases.add(purchase("purchase with a key", stage, rush, "key"));
        cases.add(soldOut("sold-out, no key", stage, "post"));
        cases.add(soldOut("sold-out with a key", stage, "key"));
        cases.add(new Case("GET of a sale", rush, () -> {
            String id = sale(stage, UNITS);
            return new Run(id, new Load(rush.url() + "/v1/sales/" + id, "get", "", ""),
                    false, null);
        }));
        cases.add(grab(stage));
        stage.bareIfBuilt().ifPresent(bare -> {
            cases.add(new Case("no-op", bare, () -> new Run(null,
                    new Load(bare.url() + "/no-op", "post", "u", BODY), false, null)));
            cases.add(new Case("GET", bare, () -> new Run(null,
                    new Load(bare.url() + "/no-op", "get", "", ""), false, null)));
        });
        stage.webdisIfInstalled().ifPresent(webdis -> {
            cases.add(webdis(stage, webdis));
            cases.add(minimal(MINIMAL_PURCHASE, stage, webdis, false));
            cases.add(minimal(MINIMAL_PURCHASE + PACED, stage, webdis, true));
            cases.add(paced(stage, rush));
        });
        stage.springIfBuilt().ifPresent(
                spring -> cases.add(purchase("purchase", stage, spring, "post")));
        return cases;
    }

    private static Case purchase(String name, Stage stage, Service service, String kind) {
        return purchase(name, stage, service, kind, "");
    }

    private static Case purchase(
            String name, Stage stage, Service service, String kind, String terms) {
        return new Case(name, service, () -> {
            String id = sale(stage, UNITS, terms);
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
            String id = sale(stage, UNITS);
            String sale = stage.partition().key("sale:" + id + ":");
            // The call of Rush for one request. The sixth key is for the fence of Script; the
            // request's own deadline is empty, because it equals the earliest one.
            String command = String.join("/", "EVALSHA", Script.load("sale/purchase").sha1(), "6",
                    sale + "conf", sale + "stock", sale + "buyers", stage.partition().key("orders"),
                    stage.partition().key("seq"), stage.partition().key("layout"), "2000000", id,
                    "9999999999999", "", "unit:1", "%s", "%o%20%20=%20unit:1");
            return new Run(id, new Load(webdis.url() + "/", "webdis", "u", command), false,
                    () -> ordered(stage, id));
        });
    }

    private static Case minimal(String name, Stage stage, Service webdis, boolean isPaced) {
        return new Case(name, webdis, () -> {
            String id = stage.newId("minimal");
            String key = stage.partition().key("minimal:" + id + ":");
            String sha1;
            try (Resp redis = stage.redis()) {
                sha1 = redis.text("SCRIPT", "LOAD", Files.readString(MINIMAL));
                redis.command("SET", key + "stock", Integer.toString(UNITS));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            String command = String.join("/", "EVALSHA", sha1, "3", key + "stock", key + "buyers",
                    key + "stream", "%s", "%o", "1", "1");
            Load load = new Load(webdis.url() + "/", "webdis", "u", command);
            return new Run(id, isPaced ? load.paced(stage.paceMillis()) : load, false,
                    () -> UNITS - number(stage, "GET", key + "stock"));
        });
    }

    private static Case paced(Stage stage, Service rush) {
        Case unpaced = purchase("purchase" + PACED, stage, rush, "post");
        return new Case(unpaced.name, rush, () -> {
            Run run = unpaced.preparation.prepare();
            return new Run(run.id, run.load.paced(stage.paceMillis()), run.refused, run.taken);
        });
    }

    private static String sale(Stage stage, int total) {
        return sale(stage, total, "");
    }

    private static String sale(Stage stage, int total, String terms) {
        String id = stage.newId("sale");
        stage.operator().prepare("/v1/sales/" + id, "{\"items\":[{\"sku\":\"unit\",\"total\":"
                + total + ",\"limitPerUser\":1}]" + terms + "}");
        return id;
    }

    private static long ordered(Stage stage, String id) {
        return number(stage, "HGET", stage.partition().key("sale:" + id + ":stock"),
                "unit:ordered");
    }

    private static long granted(Stage stage, String id) {
        return number(stage, "HGET", stage.partition().key("rain:" + id + ":conf"), "granted");
    }

    private static long number(Stage stage, String... command) {
        try (Resp redis = stage.redis()) {
            return Long.parseLong(redis.text(command));
        }
    }
}
