package example.accounts;

import java.util.Objects;

/** An account and the hash of its password. */
public final class Account {
    private String passwordHash;

    public Account(String passwordHash) {
        this.passwordHash = Objects.requireNonNull(passwordHash);
    }

    public void setPassword(String password, Hasher hasher) {
        passwordHash = hasher.hash(password);
    }
}
