package dev.rush.nemesis.checker;

import dev.rush.nemesis.checker.Stored.Books;
import dev.rush.nemesis.checker.Stored.Grab;
import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Offer;
import dev.rush.nemesis.client.Operation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** I13: an envelope is granted once, none is lost, and no user has more than the limit. */
final class RainCheck implements Check {
    @Override
    public void judge(Evidence evidence, Findings findings) {
        Map<String, List<Grab>> grabs = evidence.stored().grabs.values().stream()
                .collect(Collectors.groupingBy(Grab::rain));
        evidence.byOffer().forEach((offer, operations) -> {
            if (offer.isRain()) {
                judge(evidence, offer, grabs.getOrDefault(offer.id(), List.of()), findings);
                operations.forEach(one -> judgeAnswer(evidence, one, findings));
            }
        });
    }

    private static void judge(Evidence evidence, Offer rain, List<Grab> grabs,
            Findings findings) {
        Map<Long, Grab> byNumber = new HashMap<>();
        Map<String, Long> byUser = new HashMap<>();
        long amount = 0;
        for (Grab grab : grabs) {
            if (!grab.confirmed()) {
                if (!evidence.mayHaveLost(rain)) {
                    findings.add("I13: the ledger rejected a grab though Redis lost nothing", 0,
                            1, grab);
                }
                continue;
            }
            Grab other = byNumber.put(grab.number(), grab);
            if (other != null) {
                findings.add("I13: an envelope is granted twice", 0, 1, other + " | " + grab);
            }
            byUser.merge(grab.user(), 1L, Long::sum);
            amount += grab.amount();
        }
        byUser.forEach((user, count) -> {
            if (count > rain.grabsPerUser()) {
                findings.add("I13: a user has more envelopes than the limit", 0,
                        count - rain.grabsPerUser(), rain.id() + " " + user + ": " + count);
            }
        });
        long prepared = rain.amounts().stream().mapToLong(Long::longValue).sum();
        if (byNumber.size() > rain.amounts().size() || amount > prepared) {
            findings.add("I13: more is granted than was prepared", 0, amount - prepared,
                    rain.id() + ": " + byNumber.size() + " envelopes, " + amount);
        }
        Books books = evidence.stored().books.get(rain.id());
        if (books != null && !evidence.mayHaveLost(rain)
                && (books.granted() + books.left() != books.prepared()
                || books.granted() != amount)) {
            findings.add("I13: granted and left are not what was prepared", 0,
                    Math.abs(books.prepared() - books.granted() - books.left()),
                    rain.id() + ": ledger " + amount + ", " + books.report());
        }
    }

    private static void judgeAnswer(Evidence evidence, Operation one, Findings findings) {
        Grab grab = one.kind() == Kind.GRAB && one.accepted()
                ? evidence.stored().grabs.get(one.order()) : null;
        if (grab != null && one.number() != (grab.nth() << 32 | grab.amount())) {
            findings.add("I13: the ledger has another amount than was answered", one.from(),
                    1, one + " | " + grab);
        }
    }
}
