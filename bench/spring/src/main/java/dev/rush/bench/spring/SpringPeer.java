package dev.rush.bench.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A purchase as a Spring WebFlux service with Lettuce would make it. */
@SpringBootApplication
public class SpringPeer {

    /** Starts the service; {@code --server.port}, {@code --spring.data.redis.port} and a tag. */
    public static void main(String[] args) {
        SpringApplication.run(SpringPeer.class, args);
    }
}
