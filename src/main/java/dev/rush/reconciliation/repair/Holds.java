package dev.rush.reconciliation.repair;

import static dev.rush.http.Texts.ID_PATTERN;
import static dev.rush.http.Texts.USER_PATTERN;

import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import dev.rush.http.Times;
import dev.rush.ledger.Actor;
import dev.rush.ledger.AuditRows;
import dev.rush.ledger.Ledger;
import dev.rush.ledger.LedgerProblems;
import dev.rush.ledger.Offer;
import dev.rush.ledger.OfferCache;
import dev.rush.ledger.Order;
import dev.rush.ledger.OrderRows;
import dev.rush.ledger.Reservations;
import dev.rush.ledger.Reservations.Part;
import io.quarkus.runtime.annotations.RegisterForReflection;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Reservations on hold: their payment may be among the commits that the ledger lost, so they do not
 * expire until an operator has checked and released them. All methods block the calling thread.
 */
@Singleton
class Holds {

    private static final int HOLDS_MAX = 1_000;
    private static final int RELEASE_PART = 10_000;
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(10);

    private final Ledger ledger;
    private final OfferCache offers;
    private final int partMax;
    private final Duration limit;

    @Inject
    Holds(Ledger ledger, OfferCache offers) {
        this(ledger, offers, RELEASE_PART, RELEASE_LIMIT);
    }

    /**
     * Releases with other limits.
     *
     * @param partMax maximum number of reservations that a transaction releases
     * @param limit   time after which a call starts no further transaction
     */
    Holds(Ledger ledger, OfferCache offers, int partMax, Duration limit) {
        this.ledger = ledger;
        this.offers = offers;
        this.partMax = partMax;
        this.limit = limit;
    }

    /** A reservation on hold. */
    @RegisterForReflection
    @Schema(name = "Hold", requiredProperties = {"order", "user", "payBy"})
    record Hold(
            @Schema(format = "uuid")
            String order,
            @Schema(pattern = USER_PATTERN, examples = "711")
            String user,
            @Schema(description = "When it expires, or would have", format = "date-time")
            String payBy) {

        private static Hold of(Reservations.Held held) {
            return new Hold(held.order().toString(), held.user(), Times.formatted(held.payByMs()));
        }
    }

    /** Reservations on hold of a sale. */
    @RegisterForReflection
    @Schema(name = "Holds", requiredProperties = {"sale", "held", "holds"})
    record Page(
            @Schema(pattern = ID_PATTERN, examples = "apple-day")
            String sale,
            @Schema(description = "How many there are", minimum = "0")
            long held,
            @Schema(description = "At most 1000, earliest deadline first", maxItems = 1000)
            List<Hold> holds) {
    }

    /** The result of a release. */
    @RegisterForReflection
    @Schema(name = "HoldsReleased", requiredProperties = {"sale", "released", "held"})
    record Released(
            @Schema(pattern = ID_PATTERN, examples = "apple-day")
            String sale,
            @Schema(description = "How many expire normally from now on",
                    minimum = "0")
            int released,
            @Schema(description = "How many are still on hold", minimum = "0")
            long held) {
    }

    /** The reservations on hold of a sale; null if there is no such sale. */
    @Nullable Page of(String sale) {
        Offer offer = offers.readSale(sale);
        return offer == null ? null : ledger.transact((connection, ledgerState) ->
                new Page(sale, Reservations.held(connection, sale),
                        Reservations.firstHeld(connection, sale, HOLDS_MAX)
                                .stream().map(Hold::of).toList()));
    }

    /**
     * Releases reservations of a sale, in parts that fit into a transaction's time limit; null if
     * there is no such sale. While the ledger may lack commits, nothing is released, because more
     * may have to be put on hold.
     *
     * @return what was released; not all, if more is left when the time is over
     * @throws ProblemException {@code unavailable} if nothing was released; {@code
     *                          outcome-unknown} if something may have been
     */
    @Nullable Released release(String sale, HoldRequest request, Actor actor) {
        long deadline = System.nanoTime() + limit.toNanos();
        Offer offer = offers.readSale(sale);
        if (offer == null) {
            return null;
        }
        Part first = LedgerProblems.changing(() -> releasePart(offer, request, actor, 0));
        return LedgerProblems.begun(() -> {
            int released = first.orders();
            // A payment may have taken some of a part, so only an empty part is the last one.
            for (Part part = first; part.orders() > 0 && System.nanoTime() < deadline;) {
                long from = part.lastPayByMs();
                part = LedgerProblems.changing(() -> releasePart(offer, request, actor, from));
                released += part.orders();
            }
            return new Released(sale, released, ledger.transact((connection, ledgerState) ->
                    Reservations.held(connection, sale)));
        });
    }

    private Part releasePart(Offer offer, HoldRequest request, Actor actor, long from) {
        return ledger.transact((connection, ledgerState) -> {
            for (int partition : offer.partitions()) {
                if (!Ledger.isSound(connection, ledgerState, partition)) {
                    throw new ProblemException(Problem.of(OutcomeCode.UNAVAILABLE,
                            "The ledger is being refilled from Redis; try again later."));
                }
            }
            UUID id = request.id();
            Part released = id == null
                    ? Reservations.release(connection, offer.id(), from, partMax)
                    : release(connection, offer, id);
            if (released.orders() > 0) {
                AuditRows.insert(connection, ledgerState, UUID.randomUUID(), actor,
                        id == null ? "sale.holds-released" : "order.hold-released",
                        id == null ? offer.id() : offer.id() + "/" + id, null,
                        Map.of("released", released.orders()),
                        request.cause() != null ? request.cause() : actor.cause());
            }
            return released;
        });
    }

    private static Part release(Connection connection, Offer offer, UUID id) throws SQLException {
        Order order = OrderRows.find(connection, offer.month(), id);
        if (order == null || !order.sale().equals(offer.id())) {
            throw new ProblemException(Problem.of(OutcomeCode.UNKNOWN_ORDER));
        }
        return new Part(Reservations.release(connection, order) ? 1 : 0, order.payBy());
    }
}
