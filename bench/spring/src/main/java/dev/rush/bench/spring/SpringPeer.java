package dev.rush.bench.spring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Purchases in a Spring WebFlux service with Lettuce. */
@SpringBootApplication
public class SpringPeer {

    /** Starts it; the command line gives its port, that of Redis, and {@code --bench.tag}. */
    public static void main(String[] args) {
        SpringApplication.run(SpringPeer.class, args);
    }
}
