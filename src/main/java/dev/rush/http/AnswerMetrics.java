package dev.rush.http;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Counts answers by kind of call and status, and times purchases and grabs. All series exist from
 * the start, so that the first failure is an increase, and no label comes from a client. Requests
 * that are refused before they reach the sale are not timed, because a flood of them would make
 * slow purchases look fast.
 */
@Singleton
public class AnswerMetrics {

    private static final int BEFORE_EVERYTHING = -2_000_001;
    /** Up to the default of {@code rush.deadline}; each is one series per kind of call. */
    private static final Duration[] BUCKETS = Stream.of(5, 10, 25, 50, 100, 250, 500, 1000, 2000)
            .map(Duration::ofMillis).toArray(Duration[]::new);

    /** By the ordinals of call and status. */
    private final Counter[][] answers;
    private final Map<Call, Timer> times = new EnumMap<>(Call.class);

    private enum Call { PURCHASE, GRAB, OTHER }

    private enum Status {
        S2XX, S3XX, S409, S429, S4XX, S500, S501, S503, S504, S5XX;

        private static Status of(int status) {
            return switch (status) {
                case 409 -> S409;
                case 429 -> S429;
                case 500 -> S500;
                case 501 -> S501;
                case 503 -> S503;
                case 504 -> S504;
                default -> status >= 500 ? S5XX : status >= 400 ? S4XX
                        : status >= 300 ? S3XX : S2XX;
            };
        }

        private boolean isDecided() {
            return this == S2XX || this == S409 || ordinal() >= S500.ordinal();
        }

        private String label() {
            return name().substring(1).toLowerCase(Locale.ROOT);
        }
    }

    @Inject
    AnswerMetrics(MeterRegistry registry) {
        answers = Stream.of(Call.values()).map(call -> Stream.of(Status.values()).map(status ->
                Counter.builder("rush.answers").tag("call", label(call))
                        .tag("status", status.label())
                        .description("Answers by kind of call and status").register(registry))
                .toArray(Counter[]::new)).toArray(Counter[][]::new);
        for (Call call : List.of(Call.PURCHASE, Call.GRAB)) {
            times.put(call, Timer.builder("rush.answer").tag("call", label(call))
                    .description("Time to answer purchases and grabs that were decided or failed")
                    .serviceLevelObjectives(BUCKETS).register(registry));
        }
    }

    void install(@Observes Router router) {
        router.route().order(BEFORE_EVERYTHING).handler(context -> {
            long begun = System.nanoTime();
            Call call = call(context.request());
            context.addBodyEndHandler(done ->
                    count(call, context.response().getStatusCode(), System.nanoTime() - begun));
            context.next();
        });
    }

    private void count(Call call, int code, long nanos) {
        Status status = Status.of(code);
        answers[call.ordinal()][status.ordinal()].increment();
        Timer time = times.get(call);
        if (time != null && status.isDecided()) {
            time.record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    private static Call call(HttpServerRequest request) {
        String path = request.path();
        if (path == null || !HttpMethod.POST.equals(request.method())) {
            return Call.OTHER;
        }
        return path.startsWith("/v1/sales/") && path.endsWith("/purchases") ? Call.PURCHASE
                : path.startsWith("/v1/rains/") && path.endsWith("/grabs") ? Call.GRAB
                : Call.OTHER;
    }

    private static String label(Call call) {
        return call.name().toLowerCase(Locale.ROOT);
    }
}
