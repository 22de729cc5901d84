package dev.rush.bench.spring;

import com.github.f4b6a3.uuid.UuidCreator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Buys one item, with one EVALSHA per request over Lettuce's shared connection. */
@RestController
class PurchaseController {
    private static final String BACKLOG_MAX = "2000000";
    private static final String NEVER = "9999999999999";

    private final ReactiveStringRedisTemplate redis;
    private final RedisScript<List> script = RedisScript.of(script(), List.class);
    private final String prefix;

    /** Takes the hash tag of the partition that all sales of a bench share. */
    PurchaseController(ReactiveStringRedisTemplate redis, @Value("${bench.tag}") String tag) {
        this.redis = redis;
        this.prefix = "rush:{" + tag + "}:";
    }

    /** Returns the script of the service with its includes. */
    private static String script() {
        return Pattern.compile("(?m)^-- include (\\w+)\n").matcher(text("purchase")).replaceAll(
                include -> Matcher.quoteReplacement(text(include.group(1))));
    }

    private static String text(String name) {
        try {
            return new ClassPathResource(name + ".lua").getContentAsString(StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    record Line(String sku, Long quantity) {
    }

    record Purchase(List<Line> items) {
    }

    record Item(String sku, long quantity, long left) {
    }

    record Order(String order, String sale, String user, String status, List<Item> items,
            String placedAt) {
    }

    @PostMapping("/v1/sales/{sale}/purchases")
    Mono<ResponseEntity<Object>> purchase(@PathVariable String sale,
            @RequestHeader("X-User-Id") String user, @RequestBody Purchase purchase) {
        Line line = purchase.items().get(0);
        long quantity = line.quantity() == null ? 1 : line.quantity();
        if (purchase.items().size() != 1 || quantity < 1) {
            return Mono.just(ResponseEntity.badRequest().build());
        }
        String order = UuidCreator.getTimeOrderedEpoch().toString();
        String own = prefix + "sale:" + sale + ":";
        List<String> keys = List.of(own + "conf", own + "stock", own + "buyers",
                prefix + "orders", prefix + "seq");
        String lines = line.sku() + ":" + quantity;
        List<String> args = List.of(BACKLOG_MAX, sale, NEVER, "", lines, user,
                order + "  = " + lines);
        return redis.execute(script, keys, args).next().map(
                reply -> answer(sale, user, order, line.sku(), quantity, (String) reply.get(2)));
    }

    private static ResponseEntity<Object> answer(
            String sale, String user, String order, String sku, long quantity, String reply) {
        String[] words = reply.split(" ");
        if (!words[0].equals("accepted")) {
            ProblemDetail problem = ProblemDetail.forStatus(409);
            problem.setType(URI.create("/problems/" + words[0]));
            return ResponseEntity.status(409).contentType(MediaType.APPLICATION_PROBLEM_JSON)
                    .body(problem);
        }
        String placedAt = Instant.ofEpochMilli(Long.parseLong(words[1])).toString();
        Item item = new Item(sku, quantity, Long.parseLong(words[3]));
        return ResponseEntity.created(URI.create("/v1/sales/" + sale + "/orders/" + order))
                .body(new Order(order, sale, user, "accepted", List.of(item), placedAt));
    }
}
