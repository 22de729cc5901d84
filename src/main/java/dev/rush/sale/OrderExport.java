package dev.rush.sale;

import dev.rush.RushConfig;
import dev.rush.http.OutcomeCode;
import dev.rush.http.Problem;
import dev.rush.http.ProblemException;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.StartupEvent;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.core.Response;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Streams lists page by page, regardless of their length. Each page is read in its own transaction,
 * once the client has received the previous one. If reading fails midway, the connection is closed
 * before the end of the body.
 */
@Singleton
class OrderExport {

    static final String MEDIA_TYPE = "text/csv";
    private static final Logger LOG = Logger.getLogger(OrderExport.class);
    private static final long STUCK_MS = 60_000;
    private static final int QUEUE_BYTES_MAX = 65_536;
    private static final int RETRY_AFTER_SECONDS = 5;

    private final Vertx vertx;
    private final int max;
    private final AtomicInteger exports = new AtomicInteger();

    @Inject
    OrderExport(Vertx vertx, RushConfig config) {
        this.vertx = vertx;
        this.max = config.lists().exports();
    }

    void start(@Observes StartupEvent event, MeterRegistry registry) {
        Gauge.builder("rush.order.exports", exports, AtomicInteger::get)
                .description("Lists of orders that are being written as CSV").register(registry);
    }

    /**
     * Writes all pages.
     *
     * @param pages reads the page that begins at a cursor; null is the first page
     * @return the answer if nothing is streamed; never completes otherwise
     */
    CompletableFuture<Response> write(Exchange exchange, String name,
            Function<String, CompletableFuture<OrderView.Page>> pages) {
        if (exports.incrementAndGet() > max) {
            exports.decrementAndGet();
            throw new ProblemException(Problem.retryable(OutcomeCode.UNAVAILABLE,
                    "This pod is already "
                    + "writing the maximum number of lists.", Map.of(), RETRY_AFTER_SECONDS));
        }
        CompletableFuture<Response> answer = new CompletableFuture<>();
        pages.apply(null).whenComplete((page, failure) -> exchange.loop().runOnContext(first -> {
            if (failure != null
                    || HttpMethod.HEAD.equals(exchange.routing().request().method())) {
                exports.decrementAndGet();
                if (failure != null) {
                    answer.completeExceptionally(failure);
                } else {
                    answer.complete(Response.ok().type(MEDIA_TYPE).build());
                }
            } else {
                new Export(exchange, pages).begin(name, page);
            }
        }));
        return answer;
    }

    /** A list that is being streamed. */
    private final class Export {
        private final RoutingContext routing;
        private final HttpServerResponse response;
        private final Context loop;
        private final Function<String, CompletableFuture<OrderView.Page>> pages;
        private boolean over;

        Export(Exchange exchange,
                Function<String, CompletableFuture<OrderView.Page>> pages) {
            this.routing = exchange.routing();
            this.response = routing.response();
            this.loop = exchange.loop();
            this.pages = pages;
        }

        void begin(String name, OrderView.Page page) {
            if (response.closed()) {
                exports.decrementAndGet();
                return;
            }
            routing.addEndHandler(end -> loop.runOnContext(ignored -> end()));
            response.setWriteQueueMaxSize(QUEUE_BYTES_MAX).setStatusCode(200).setChunked(true)
                    .putHeader("Content-Type", MEDIA_TYPE + "; charset=UTF-8; header=present")
                    .putHeader("Content-Disposition",
                            "attachment; filename=\"" + name + "-orders.csv\"")
                    .putHeader("Cache-Control", "no-store")
                    .putHeader("X-Content-Type-Options", "nosniff");
            response.write(OrderCsv.HEADER);
            write(page);
        }

        private void end() {
            if (!over) {
                over = true;
                exports.decrementAndGet();
            }
        }

        private void write(OrderView.Page page) {
            if (!page.orders().isEmpty()) {
                response.write(Buffer.buffer(OrderCsv.lines(page.orders())));
            }
            if (page.next() == null) {
                response.end();
            } else if (response.writeQueueFull()) {
                long stuck = vertx.setTimer(STUCK_MS, late -> routing.request().connection()
                        .close());
                response.drainHandler(drained -> {
                    if (vertx.cancelTimer(stuck)) {
                        read(page.next());
                    }
                });
            } else {
                read(page.next());
            }
        }

        private void read(@Nullable String from) {
            if (over) {
                return;
            }
            pages.apply(from).whenComplete((page, failure) -> loop.runOnContext(ignored -> {
                if (over) {
                    return;
                }
                if (failure == null) {
                    write(page);
                } else {
                    LOG.warnf("A list of orders was cut off: %s", failure.getMessage());
                    routing.request().connection().close();
                }
            }));
        }
    }
}
