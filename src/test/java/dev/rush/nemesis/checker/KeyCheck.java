package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import java.util.Comparator;
import java.util.List;

/** I7: a user's key has one order and one answer in a sale; another body under it is refused. */
final class KeyCheck implements Check {
    @Override
    public void check(Evidence evidence, Findings findings) {
        evidence.byKey().values().forEach(tries -> check(evidence, tries, findings));
    }

    private static void check(Evidence evidence, List<Operation> tries, Findings findings) {
        List<Operation> answers = tries.stream().filter(Operation::accepted)
                .sorted(Comparator.comparingLong(Operation::to)).toList();
        for (int i = 1; i < answers.size(); i++) {
            Operation earlier = answers.get(i - 1);
            Operation later = answers.get(i);
            boolean excused = evidence.mayHaveLost(earlier,
                    Math.min(earlier.from(), later.from()), Math.max(earlier.to(), later.to()));
            if (!excused && !earlier.order().equals(later.order())) {
                findings.add("I7: one key has two orders", later.from(), 1,
                        earlier + " | " + later);
            } else if (!excused && earlier.number() != later.number()) {
                findings.add("I7: one key has two answers", later.from(), 1,
                        earlier + " | " + later);
            } else if (!excused && earlier.cart() != null
                    && !earlier.cart().equals(later.cart())) {
                findings.add("I7: another body under a used key was accepted", later.from(), 1,
                        earlier + " | " + later);
            }
            boolean bothValid = !earlier.order().equals(later.order())
                    && evidence.stored().isValid(earlier.order())
                    && evidence.stored().isValid(later.order());
            if (bothValid) {
                findings.add("I7: the ledger has two orders or grabs under one key", later.from(),
                        1, earlier + " | " + later);
            }
        }
        tries.stream().filter(refused -> refused.kind() == Kind.PURCHASE
                && refused.outcome() == Outcome.REFUSED && refused.word().equals("key-reused"))
                .filter(refused -> tries.stream().noneMatch(other -> other.mayHaveHappened()
                        && other.from() <= refused.to()
                        && !other.cart().equals(refused.cart())))
                .forEach(refused -> findings.add("refusals: key-reused without another body",
                        refused.from(), 1, refused + " of " + tries));
    }
}
