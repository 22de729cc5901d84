package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rush.redis.Partition;
import dev.rush.redis.Partitions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The changes that scripts decide and pass to the ledger, each as a scene. */
final class ControlScenes {
    private static final Partition PARTITION = new Partitions(64).of(SaleGate.SALE);
    private static final String ACTOR = "operator:ann";

    private final LuaScripts scripts;
    private final SaleGate sale;

    ControlScenes(LuaScripts scripts) {
        this.scripts = scripts;
        sale = new SaleGate(scripts);
    }

    /** All scenes by what they show. */
    Map<String, Runnable> all() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("a pause, resume or close reaches the ledger once", this::controlled);
        all.put("a shard that follows passes nothing to the ledger", this::followed);
        all.put("a change of a total reaches the ledger", this::totals);
        all.put("a correction of a repair reaches the ledger", this::corrected);
        all.put("a change of the blocklist reaches the ledger", this::blocked);
        return all;
    }

    private Object call(String script, List<String> keys, String cause, String... args) {
        List<String> all = new ArrayList<>(List.of(LuaScripts.NEVER));
        all.addAll(List.of(args));
        all.addAll(List.of("id kind subject", ACTOR, cause));
        return scripts.call(script, keys, all);
    }

    /** Takes the entries of the control stream, without ids and times. */
    private List<String> changes() {
        String key = PARTITION.key("control");
        long now = System.currentTimeMillis();
        List<String> found = new ArrayList<>();
        for (Object entry : scripts.redis().list("XRANGE", key, "-", "+")) {
            List<?> fields = (List<?>) ((List<?>) entry).get(1);
            assertThat(fields.get(0)).isEqualTo("change");
            String[] words = fields.get(1).toString().split(" ");
            Workload.isNow(now - 60_000, Long.parseLong(words[5]));
            words[5] = "now";
            found.add(String.join(" ", words)
                    + (fields.size() > 2 ? " " + fields.get(2) + "=" + fields.get(3) : ""));
        }
        scripts.redis().command("DEL", key);
        return found;
    }

    private static List<String> keys(String... parts) {
        return PARTITION.keys().sale(SaleGate.SALE, parts).texts();
    }

    private static List<String> with(List<String> keys, String... names) {
        List<String> all = new ArrayList<>(keys);
        for (String name : names) {
            all.add(PARTITION.key(name));
        }
        return all;
    }

    private String control(String cause, String action, String version) {
        return (String) call("offer/control", with(keys("conf"), "unfinished", "control"), cause,
                action, "unknown-sale", version, "-");
    }

    private void controlled() {
        BookScenes.prepare(sale, 0, true);
        long version = Long.parseLong(control("too fast", "pause", "-").split(" ")[1]);
        assertThat(changes()).containsExactly(
                "id kind subject pause " + version + " now operator:ann 0 1 cause=too fast");
        control("", "pause", "-");
        assertThat(changes()).isEmpty();
        long second = Long.parseLong(control("", "resume", "-").split(" ")[1]);
        assertThat(changes()).containsExactly(
                "id kind subject resume " + second + " now operator:ann 1 0");
        long before = System.currentTimeMillis();
        long third = Long.parseLong(control("", "close", "-").split(" ")[1]);
        assertThat(changes()).singleElement().satisfies(closed -> {
            assertThat(closed).startsWith(
                    "id kind subject close " + third + " now operator:ann 0 ");
            Workload.isNow(before, Long.parseLong(closed.substring(closed.lastIndexOf(' ') + 1)));
        });
        control("", "close", "-");
        assertThat(control("", "pause", "-")).isEqualTo("closed");
        assertThat(changes()).isEmpty();
    }

    private void followed() {
        BookScenes.prepare(sale, 0, true);
        long version = System.currentTimeMillis() + 1;
        assertThat(control("", "pause", Long.toString(version))).isEqualTo("done " + version);
        assertThat(changes()).isEmpty();
        assertThat(sale.control("resume")).isEqualTo("done");
        assertThat(changes()).isEmpty();
    }

    private void totals() {
        BookScenes.prepare(sale, 0, true);
        List<String> keys = with(keys("conf", "stock"), "control");
        assertThat(call("sale/total", keys, "more came", "a", "12", "3")).isEqualTo("done");
        assertThat(changes()).containsExactly(
                "id kind subject total 3 now operator:ann 10 12 cause=more came");
        assertThat(call("sale/total", keys, "", "a", "12", "4")).isEqualTo("done");
        assertThat(call("sale/total", keys, "", "a", "20", "4")).isEqualTo("overtaken");
        assertThat(changes()).isEmpty();
        assertThat(call("reconciliation/total", keys, "", "a", "0", "5", "40"))
                .isEqualTo("adjusted 0");
        assertThat(changes()).isEmpty();
        assertThat(call("sale/total", keys, "", "a", "41", "6")).isEqualTo("done");
        assertThat(changes()).containsExactly(
                "id kind subject total 6 now operator:ann 40 41");
    }

    private void corrected() {
        BookScenes.prepare(sale, 0, true);
        List<String> keys = with(keys("conf", "stock"), "control");
        assertThat(call("reconciliation/total", keys, "", "a", "5", "7", "-"))
                .isEqualTo("adjusted 5");
        assertThat(changes()).containsExactly(
                "id kind subject correct-total 7 now operator:ann 10 15");
        assertThat(call("reconciliation/adjust", keys, "", "a", "4", "0"))
                .isEqualTo("adjusted 4");
        assertThat(changes()).containsExactly(
                "id kind subject correct-ordered - now operator:ann 0 4");
        assertThat(call("reconciliation/adjust", keys, "", "a", "0", "0"))
                .isEqualTo("adjusted 0");
        assertThat(changes()).isEmpty();
    }

    private void blocked() {
        sale.clear();
        List<String> keys = with(List.of(), "users", "changes", "control");
        assertThat(call("http/block", keys, "a bot", "add", "eve", "n", "9", "9"))
                .isEqualTo("done");
        assertThat(changes()).containsExactly(
                "id kind subject add 1 now operator:ann 0 1 cause=a bot");
        call("http/block", keys, "", "add", "eve", "n", "9", "9");
        assertThat(call("http/block", keys, "", "add", "mallory", "n", "1", "9"))
                .isEqualTo("too-large");
        assertThat(changes()).isEmpty();
        call("http/block", keys, "", "remove", "eve", "n", "9", "9");
        assertThat(changes()).containsExactly(
                "id kind subject remove 2 now operator:ann 1 0");
    }
}
