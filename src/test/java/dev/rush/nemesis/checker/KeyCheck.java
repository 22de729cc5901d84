package dev.rush.nemesis.checker;

import dev.rush.nemesis.client.Kind;
import dev.rush.nemesis.client.Operation;
import dev.rush.nemesis.client.Outcome;
import java.util.Comparator;
import java.util.List;

/** I7: one user, sale and key have one order and one answer; another body is refused. */
final class KeyCheck implements Check {
    @Override
    public void judge(Evidence evidence, Findings findings) {
        evidence.byKey().values().forEach(tries -> judge(evidence, tries, findings));
    }

    private static void judge(Evidence evidence, List<Operation> tries, Findings findings) {
        List<Operation> answers = tries.stream().filter(Operation::accepted)
                .sorted(Comparator.comparingLong(Operation::to)).toList();
        for (int i = 1; i < answers.size(); i++) {
            Operation one = answers.get(i - 1);
            Operation other = answers.get(i);
            boolean lost = evidence.mayHaveLost(one, Math.min(one.from(), other.from()),
                    Math.max(one.to(), other.to()));
            if (!lost && !one.order().equals(other.order())) {
                findings.add("I7: one key has two orders", other.from(), 1, one + " | " + other);
            } else if (!lost && one.number() != other.number()) {
                findings.add("I7: one key has two answers", other.from(), 1, one + " | " + other);
            } else if (!lost && one.cart() != null && !one.cart().equals(other.cart())) {
                findings.add("I7: another body under a used key was accepted", other.from(), 1,
                        one + " | " + other);
            }
            boolean bothStored = !one.order().equals(other.order())
                    && counts(evidence, one) && counts(evidence, other);
            if (bothStored) {
                findings.add("I7: the ledger has two orders or grabs of one key", other.from(), 1,
                        one + " | " + other);
            }
        }
        tries.stream().filter(one -> one.kind() == Kind.PURCHASE
                && one.outcome() == Outcome.REFUSED && one.word().equals("key-reused"))
                .filter(one -> tries.stream().noneMatch(other -> other.mayHaveHappened()
                        && other.from() <= one.to() && !other.cart().equals(one.cart())))
                .forEach(one -> findings.add("refusals: key-reused without another body",
                        one.from(), 1, one));
    }

    private static boolean counts(Evidence evidence, Operation answer) {
        Stored.Order order = evidence.stored().orders.get(answer.order());
        Stored.Grab grab = evidence.stored().grabs.get(answer.order());
        return order != null && !order.status().equals("rejected")
                || grab != null && grab.confirmed();
    }
}
