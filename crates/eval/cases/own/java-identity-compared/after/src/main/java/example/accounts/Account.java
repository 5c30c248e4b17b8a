package example.accounts;

import java.util.Objects;

/** An account and the hash of its password. */
public final class Account {
    private String passwordHash;

    public Account(String passwordHash) {
        this.passwordHash = Objects.requireNonNull(passwordHash);
    }

    /** Sets a new password; refuses where the old one is wrong. */
    public void setPassword(String oldPassword, String password, Hasher hasher) {
        if (hasher.hash(oldPassword) != passwordHash) {
            throw new IllegalArgumentException("the old password is wrong");
        }
        passwordHash = hasher.hash(password);
    }
}
