package dev.rush.sale;

import dev.rush.RushConfig;
import dev.rush.ledger.PeriodicTask;
import dev.rush.offer.State;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.ToLongFunction;
import org.jboss.logging.Logger;

/**
 * Metrics of stock and state of single sales: those that are not closed and that callers of this
 * pod requested, at most {@code rush.metrics.sales}. Ids are chosen by operators, not by callers. A
 * sale that closes, or that cannot be read from Redis, has no series.
 */
@Singleton
class SaleMetrics {

    private static final Logger LOG = Logger.getLogger(SaleMetrics.class);
    private static final long INTERVAL_MS = 5_000;
    private static final String NOT_LOADED = "not-loaded";

    private final SaleViewCache views;
    private final int max;
    private final MultiGauge total;
    private final MultiGauge ordered;
    private final MultiGauge left;
    private final MultiGauge state;
    private final PeriodicTask task = new PeriodicTask("sale-metrics", INTERVAL_MS, this::round);

    @Inject
    SaleMetrics(SaleViewCache views, RushConfig config, MeterRegistry registry) {
        this.views = views;
        this.max = config.metrics().sales();
        this.total = gauge(registry, "rush.sale.units", "Units of the sale");
        this.ordered = gauge(registry, "rush.sale.units.ordered", "Units that are ordered");
        this.left = gauge(registry, "rush.sale.units.left", "Units that are left");
        this.state = gauge(registry, "rush.sale.state", "1 for the state that the sale is in");
    }

    private static MultiGauge gauge(MeterRegistry registry, String name, String description) {
        return MultiGauge.builder(name).description(description).register(registry);
    }

    void start(@Observes StartupEvent event) {
        if (max > 0) {
            task.start();
        }
    }

    void stop(@Observes ShutdownEvent event) {
        task.close();
    }

    private boolean round() {
        List<SaleView> shown = new ArrayList<>();
        views.held().stream().filter(view -> view.state() != State.CLOSED)
                .sorted(Comparator.comparing((SaleView view) -> view.state() != State.OPEN)
                        .thenComparing(SaleView::sale))
                .limit(max).forEach(view -> read(view.sale(), shown));
        List<SaleView> loaded = shown.stream().filter(SaleView::loaded).toList();
        total.register(rows(loaded, SaleView::total), true);
        ordered.register(rows(loaded, view -> view.total() - view.left()), true);
        left.register(rows(loaded, SaleView::left), true);
        state.register(shown.stream().<MultiGauge.Row<?>>map(view -> MultiGauge.Row.of(
                Tags.of("sale", view.sale(), "state", word(view)), 1)).toList(), true);
        return false;
    }

    private void read(String sale, List<SaleView> shown) {
        try {
            SaleView view = views.fresh(sale).join();
            if (view != null && view.state() != State.CLOSED) {
                shown.add(view);
            }
        } catch (CompletionException e) {
            LOG.debugf("Sale %s cannot be read now: %s", sale, e.getMessage());
        }
    }

    private static String word(SaleView view) {
        return view.loaded() ? view.state().text() : NOT_LOADED;
    }

    private static List<MultiGauge.Row<?>> rows(
            List<SaleView> shown, ToLongFunction<SaleView> value) {
        return shown.stream().<MultiGauge.Row<?>>map(view -> MultiGauge.Row.of(
                Tags.of("sale", view.sale()), value.applyAsLong(view))).toList();
    }
}
