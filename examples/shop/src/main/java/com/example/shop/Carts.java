package com.example.shop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** All carts. Each is a file; a real shop would use a database. */
final class Carts {
    private final Path folder;
    private final Map<String, Cart> carts = new ConcurrentHashMap<>();

    /** Loads the carts from disk. */
    Carts(Path folder) throws IOException {
        this.folder = folder;
        Files.createDirectories(folder);
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".json")).toList()) {
                Cart cart = Json.read(Files.readAllBytes(file), Cart.class);
                carts.put(cart.key(), cart);
            }
        }
    }

    /** Stores a new cart on disk; returns false if one with this key exists. */
    boolean add(Cart cart) {
        boolean[] isNew = {false};
        carts.computeIfAbsent(cart.key(), key -> {
            isNew[0] = true;
            return store(cart);
        });
        return isNew[0];
    }

    /** Changes a cart and stores it on disk; returns null if there is none with this key. */
    Cart change(String key, UnaryOperator<Cart> change) {
        return carts.computeIfPresent(key, (same, cart) -> {
            Cart changed = change.apply(cart);
            return changed.equals(cart) ? cart : store(changed);
        });
    }

    Cart get(String key) {
        return carts.get(key);
    }

    Optional<Cart> ofOrder(UUID order) {
        return carts.values().stream().filter(cart -> order.equals(cart.order())).findAny();
    }

    List<Cart> of(String user) {
        return carts.values().stream().filter(cart -> cart.user().equals(user))
                .sorted(Comparator.comparing(Cart::key)).toList();
    }

    Collection<Cart> all() {
        return List.copyOf(carts.values());
    }

    private Cart store(Cart cart) {
        try {
            Durable.write(folder.resolve(cart.key() + ".json"), Json.write(cart));
            return cart;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
