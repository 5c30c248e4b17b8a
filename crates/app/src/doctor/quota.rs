//! What is left of the hour's requests.

use super::context::DoctorContext;
use collie_github::browse::{Quota, Quotas};
use collie_i18n::Localizer;
use collie_wire::rpc::{DoctorCode, DoctorLine, DoctorStatus};

/// Of GraphQL and REST the scarcer one counts. None where the host has no limits.
pub(super) fn check(context: &DoctorContext<'_>, quotas: Quotas) -> Option<DoctorLine> {
    let both = [quotas.graphql, quotas.rest].into_iter().flatten();
    let scarcer = both.min_by_key(|quota| quota.remaining * 1000 / quota.limit.max(1))?;
    let status = if scarcer.remaining * 10 < scarcer.limit {
        DoctorStatus::Warning
    } else {
        DoctorStatus::Ok
    };
    Some(context.line(
        DoctorCode::Quota,
        status,
        quota_text(context.localizer, &scarcer),
    ))
}

fn quota_text(localizer: &Localizer, quota: &Quota) -> String {
    let args = [
        ("left", localizer.format_number(quota.remaining).into()),
        ("limit", localizer.format_number(quota.limit).into()),
        (
            "until",
            localizer.format_time_of_day(quota.resets_at).into(),
        ),
    ];
    localizer.text("doctor-quota-left", &args)
}

#[cfg(test)]
mod tests {
    use super::*;
    use collie_core::ids::Time;

    #[test]
    fn what_is_left_has_its_thousands_set_apart() {
        let quota = Quota {
            remaining: 4_812,
            limit: 5_000,
            resets_at: Time(0),
        };
        let told = quota_text(&Localizer::new("en"), &quota);
        assert!(
            told.starts_with("4,812 of 5,000 requests left until "),
            "{told}"
        );
    }
}
