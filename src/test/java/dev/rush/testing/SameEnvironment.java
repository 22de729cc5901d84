package dev.rush.testing;

/** An environment like another but for what a subclass says. */
abstract class SameEnvironment implements Environment {
    private final Environment same;

    SameEnvironment(Environment same) {
        this.same = same;
    }

    @Override
    public String name() {
        return same.name();
    }

    @Override
    public String redisHosts() {
        return same.redisHosts();
    }

    @Override
    public String clientType() {
        return same.clientType();
    }

    @Override
    public Resp resp(String key) {
        return same.resp(key);
    }

    @Override
    public String ledgerUrl() {
        return same.ledgerUrl();
    }

    @Override
    public Pod pod() {
        return same.pod();
    }
}
