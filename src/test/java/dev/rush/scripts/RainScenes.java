package dev.rush.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** What the scripts of a rain and of the blocklist promise, each as a scene. */
final class RainScenes {
    private static final List<String> BLOCKLIST = List.of("{b}users", "{b}changes");
    private static final int TAKERS = 300;
    private static final int RANKS_SEED = 7;

    private final LuaScripts scripts;
    private final RainGate rain;

    RainScenes(LuaScripts scripts) {
        this.scripts = scripts;
        rain = new RainGate(scripts);
    }

    /** All scenes by what they show. */
    Map<String, Runnable> all() {
        Map<String, Runnable> all = new LinkedHashMap<>();
        all.put("I14: a rain keeps its release and month in the ledger", this::noted);
        all.put("I13: a rain's books show granted and remaining envelopes", this::books);
        all.put("I13: remaining amounts are added up only while they are few", this::amounts);
        all.put("I13: a rain without its takers grants nothing more", this::takers);
        all.put("I6: grabs that wait are read in parts", this::waiting);
        all.put("I13: requeued grabs are as in their takers' answers", this::requeue);
        all.put("G5: of many takers, the rankings keep the highest hundred, exactly", () -> {
            ranks(6);
            ranks(1000);
            lastRank();
        });
        all.put("D1: a repeated grab writes too, a refused one does not", this::repeat);
        all.put("D1: a key is compared literally, not as a pattern", this::keyIsNoPattern);
        all.put("the blocklist and its changes agree", this::block);
        all.put("the blocklist has a bound, and forgets old changes", this::bounds);
        return all;
    }

    private RainGate.Terms prepare(List<Long> amounts) {
        rain.clear();
        RainGate.Terms terms = new RainGate.Terms(0, 0, 9, amounts);
        rain.draft("one", "7", true, "epoch", false);
        for (int from = 0; from < amounts.size(); from += 2000) {
            rain.fill(terms, "one", "7", "epoch", from, Math.min(from + 2000, amounts.size()));
        }
        return terms;
    }

    private void grab(String grab) {
        rain.grab(100, List.of(new RainGate.Grab(Deadline.FOREVER, grab, "u", grab)));
    }

    private void noted() {
        prepare(List.of(5L));
        assertThat(rain.noted()).isEqualTo(List.of("epoch", "202601"));
    }

    private void books() {
        rain.clear();
        long before = System.currentTimeMillis();
        List<?> none = rain.books();
        Workload.isNow(before, (Long) none.get(0));
        assertThat(none.subList(1, none.size())).isEqualTo(List.of(0L, "0-0", 0L));
        prepare(List.of(5L, 7L, 9L));
        grab("g1");
        grab("g2");
        List<?> two = rain.books();
        Workload.isNow(before, (Long) two.get(0));
        assertThat(two.subList(1, two.size())).isEqualTo(
                List.of(2L, rain.last(), 2L, "loaded", "3", "21", "2", "12", "1", "9"));
        rain.loseEnvelopes();
        List<?> lost = rain.books();
        assertThat(lost.subList(4, lost.size())).isEqualTo(
                List.of("not-loaded", "3", "21", "2", "12", "0", "0"));
    }

    private void requeue() {
        prepare(List.of(5L, 7L, 9L, 4L));
        rain.grab(100, List.of(new RainGate.Grab(Deadline.FOREVER, "g1", "u", "k"),
                new RainGate.Grab(Deadline.FOREVER, "g2", "v", "g2"),
                new RainGate.Grab(Deadline.FOREVER, "g3", "u", "g3")));
        List<RainGate.Granted> granted = rain.drain();
        assertThat(rain.requeue("u", "g3", "g2", "g1")).isEqualTo(2);
        assertThat(rain.requeue("v", "g2", "none")).isEqualTo(1);
        assertThat(rain.requeue("nobody", "g1")).isZero();
        assertThat(rain.places()).containsExactly("3", "3", "3");
        assertThat(rain.drain()).containsExactly(again(granted.get(2)), again(granted.get(0)),
                again(granted.get(1)));
        rain.loseSequence();
        assertThat(rain.requeue("v", "g2")).isEqualTo(1);
        assertThat(rain.places()).containsExactly("0");
    }

    private static RainGate.Granted again(RainGate.Granted grab) {
        return new RainGate.Granted(grab.grab(), grab.user(), grab.key(), grab.number(),
                grab.nth(), grab.amount(), grab.at(), 0);
    }

    private void takers() {
        prepare(List.of(5L, 7L, 9L));
        rain.loseTakers();
        assertThat(rain.books().get(4)).as("nothing was granted").isEqualTo("loaded");
        assertThat(grabbed("g1")).startsWith("accepted ");
        assertThat(rain.books().get(4)).isEqualTo("loaded");
        assertThat(rain.view().counters()).isEqualTo("1 5 2");
        rain.loseTakers();
        assertThat(rain.view().counters()).as("shown as not loaded").isEqualTo("1 5 -1");
        assertThat(grabbed("g2")).as("one was granted").isEqualTo("not-loaded");
        assertThat(rain.books().get(4)).isEqualTo("not-loaded");
        assertThat(rain.leaderboard("user", 9)).isEqualTo(List.of("u 0 5"));
    }

    private String grabbed(String grab) {
        return rain.grab(100, List.of(new RainGate.Grab(Deadline.FOREVER, grab, "u", grab)))
                .texts().get(0);
    }

    private void repeat() {
        prepare(List.of(5L, 7L));
        rain.grab(100, List.of(new RainGate.Grab(Deadline.FOREVER, "g1", "u", "key")));
        long before = scripts.changes();
        assertThat(rain.grab(100, List.of(
                new RainGate.Grab(Deadline.FOREVER, "g2", "u", "key"))).texts().get(0))
                .startsWith("replayed g1 ");
        assertThat(scripts.changes()).isEqualTo(before + 1);
        rain.grab(100, List.of(new RainGate.Grab(1, "g3", "u", "other")));
        assertThat(scripts.changes()).isEqualTo(before + 1);
    }

    private void keyIsNoPattern() {
        prepare(List.of(5L, 7L, 9L));
        for (String key : List.of("a+b", "[")) {
            List<RainGate.Grab> grab =
                    List.of(new RainGate.Grab(Deadline.FOREVER, "g" + key, "u", key));
            assertThat(rain.grab(100, grab).texts().get(0)).startsWith("accepted ");
            assertThat(rain.grab(100, grab).texts().get(0)).startsWith("replayed ");
        }
    }

    private void amounts() {
        prepare(Collections.nCopies(20_002, 1L));
        rain.setNext(5);
        grab("g1");
        rain.setNext(5);
        assertThat(rain.books().get(10)).isEqualTo("19997");
        grab("g2");
        rain.setNext(5);
        assertThat(rain.books().get(10)).isEqualTo("20004");
    }

    private void waiting() {
        prepare(List.of(5L, 7L, 9L));
        grab("g1");
        grab("g2");
        grab("g3");
        List<?> first = rain.waiting("0-0", 2);
        assertThat(first.subList(1, first.size())).isEqualTo(List.of("g1 5", "g2 7"));
        List<?> second = rain.waiting((String) first.get(0), 2);
        assertThat(second).isEqualTo(List.of(rain.last(), "g3 9"));
    }

    /** With low amounts, many grabs and sums equal the hundredth. */
    private void ranks(long amountMax) {
        Random random = new Random(RANKS_SEED);
        RainPromises promises = new RainPromises();
        promises.prepare(prepare(random.longs(TAKERS * 4, 1, amountMax).boxed().toList()));
        for (int grabs = 0; grabs < TAKERS * 5;) {
            List<RainGate.Grab> wanted = new ArrayList<>();
            for (int i = random.nextInt(40); i >= 0; i--) {
                String grab = "g" + ++grabs;
                wanted.add(new RainGate.Grab(Deadline.FOREVER, grab,
                        "u" + random.nextInt(TAKERS), grab));
            }
            Reply reply = rain.grab(0, wanted);
            assertThat(reply.texts()).isEqualTo(wanted.stream()
                    .map(each -> promises.grab(each, 0, reply.now())).toList());
            assertThat(rain.leaderboard("grab", 100)).isEqualTo(promises.byGrab(100));
            assertThat(rain.leaderboard("user", 100)).isEqualTo(promises.byUser(100));
        }
        assertThat(promises.byUser(TAKERS)).hasSizeGreaterThan(2 * 100);
        assertThat(rain.ranked("board")).isEqualTo(100);
        assertThat(rain.ranked("sums")).isEqualTo(100);
    }

    private void lastRank() {
        List<Long> amounts = new ArrayList<>(Collections.nCopies(99, 1000L));
        amounts.addAll(List.of(5L, 7L, 6L));
        prepare(amounts);
        for (int i = 0; i < amounts.size(); i++) {
            rain.grab(0, List.of(new RainGate.Grab(Deadline.FOREVER, "g" + i, "u" + i, "g" + i)));
        }
        assertThat(rain.leaderboard("grab", 100).get(99)).isEqualTo("u100 1 7");
        assertThat(rain.leaderboard("user", 100).get(99)).isEqualTo("u100 1 7");
    }

    private String change(String action, String user, long usersMax, long changesMax) {
        return (String) scripts.call("http/block", BLOCKLIST, List.of(LuaScripts.NEVER, action,
                user, "nonce", Long.toString(usersMax), Long.toString(changesMax), "-", "", ""));
    }

    private List<?> all(int key) {
        return scripts.redis().list("ZRANGE", BLOCKLIST.get(key), "0", "-1");
    }

    private void block() {
        scripts.redis().command("FLUSHALL");
        assertThat(change("remove", "u", 10, 10)).isEqualTo("done");
        assertThat(all(1)).isEmpty();
        assertThat(change("add", "u", 10, 10)).isEqualTo("done");
        assertThat(change("add", "u", 10, 10)).isEqualTo("done");
        assertThat(change("add", "a", 10, 10)).isEqualTo("done");
        assertThat(all(0)).isEqualTo(List.of("a", "u"));
        assertThat(change("remove", "u", 10, 10)).isEqualTo("done");
        assertThat(all(0)).isEqualTo(List.of("a"));
        assertThat(scripts.redis().list("ZRANGE", BLOCKLIST.get(1), "0", "-1", "WITHSCORES"))
                .isEqualTo(List.of("1 nonce add u", "1", "2 nonce add a", "2",
                        "3 nonce remove u", "3"));
    }

    private void bounds() {
        scripts.redis().command("FLUSHALL");
        for (String user : List.of("a", "b", "c")) {
            assertThat(change("add", user, 3, 2)).isEqualTo("done");
        }
        assertThat(change("add", "d", 3, 2)).isEqualTo("too-large");
        assertThat(change("add", "a", 3, 2)).isEqualTo("done");
        assertThat(all(0)).isEqualTo(List.of("a", "b", "c"));
        assertThat(all(1)).isEqualTo(List.of("2 nonce add b", "3 nonce add c"));
        assertThat(change("remove", "a", 3, 2)).isEqualTo("done");
        assertThat(change("add", "d", 3, 2)).isEqualTo("done");
        assertThat(all(1)).isEqualTo(List.of("4 nonce remove a", "5 nonce add d"));
    }
}
