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

/** I13: each envelope is granted once, none is lost, and no user holds more than the limit. */
final class RainCheck implements Check {
    @Override
    public void check(Evidence evidence, Findings findings) {
        Map<String, List<Grab>> grabs = evidence.stored().grabs.values().stream()
                .collect(Collectors.groupingBy(Grab::rain));
        evidence.byOffer().forEach((offer, operations) -> {
            if (offer.isRain()) {
                check(evidence, offer, grabs.getOrDefault(offer.id(), List.of()), findings);
                operations.forEach(operation -> checkAnswer(evidence, operation, findings));
            }
        });
    }

    private static void check(Evidence evidence, Offer rain, List<Grab> grabs,
            Findings findings) {
        Map<Long, Grab> byNumber = new HashMap<>();
        Map<String, Long> byUser = new HashMap<>();
        long amount = 0;
        for (Grab grab : grabs) {
            if (!grab.confirmed()) {
                if (!evidence.mayHaveLost(rain)) {
                    findings.add("I13: the ledger rejected a grab although Redis lost nothing",
                            0, 1, grab);
                }
                continue;
            }
            Grab other = byNumber.put(grab.number(), grab);
            if (other != null) {
                findings.add("I13: an envelope was granted twice", 0, 1, other + " | " + grab);
            }
            byUser.merge(grab.user(), 1L, Long::sum);
            amount += grab.amount();
        }
        byUser.forEach((user, count) -> {
            if (count > rain.grabsPerUser()) {
                findings.add("I13: a user holds more envelopes than the limit", 0,
                        count - rain.grabsPerUser(), rain.id() + " " + user + ": " + count);
            }
        });
        long prepared = rain.amounts().stream().mapToLong(Long::longValue).sum();
        if (byNumber.size() > rain.amounts().size() || amount > prepared) {
            findings.add("I13: more was granted than prepared", 0, amount - prepared,
                    rain.id() + ": " + byNumber.size() + " envelopes, " + amount);
        }
        Books books = evidence.stored().books.get(rain.id());
        if (books != null && !evidence.mayHaveLost(rain)
                && (books.granted() + books.left() != books.prepared()
                || books.granted() != amount)) {
            findings.add("I13: granted + left is not the prepared amount", 0,
                    Math.abs(books.prepared() - books.granted() - books.left()),
                    rain.id() + ": ledger " + amount + ", " + books.report());
        }
    }

    private static void checkAnswer(Evidence evidence, Operation operation, Findings findings) {
        Grab grab = operation.kind() == Kind.GRAB && operation.accepted()
                ? evidence.stored().grabs.get(operation.order()) : null;
        if (grab != null && operation.number() != (grab.nth() << 32 | grab.amount())) {
            findings.add("I13: the ledger and the answer have different amounts", operation.from(),
                    1, operation + " | " + grab);
        }
    }
}
