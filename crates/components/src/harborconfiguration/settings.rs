//! The settings under the names that Harbor has for them.

use super::checks::field;
use api::v1beta1::harborconfiguration::{
    BannerMessage, HarborConfigurationSettings,
    audit_log::AuditLogSettings,
    authentication::{AuthProxySettings, LdapSettings, OidcSettings, UaaSettings},
    banner::BannerType,
    settings::EmailSettings,
};
use harborstate::configuration::{Banner, Configuration, comma_list};
use jiff::{Timestamp, ToSpan as _, civil::Date, tz::TimeZone};
use plan::PlanError;
use std::collections::BTreeMap;

/// The settings of a spec, without passwords. What is absent there is absent here.
pub(super) fn settings(settings: &HarborConfigurationSettings) -> Result<Configuration, PlanError> {
    let oidc_extra_redirect_parms =
        settings.oidc.oidc_extra_redirect_parms.as_deref().map(map).transpose()?;
    let HarborConfigurationSettings {
        auth_mode,
        primary_auth_mode,
        project_creation_restriction,
        read_only,
        self_registration,
        token_expiration,
        session_timeout,
        robot_token_duration,
        robot_name_prefix,
        notification_enable,
        quota_per_project_enable,
        storage_per_project,
        scanner_skip_update_pulltime,
        banner_message,
        audit_log,
        email,
        ldap,
        oidc,
        auth_proxy,
        uaa,
    } = settings.clone();
    let configuration = Configuration {
        auth_mode,
        primary_auth_mode,
        self_registration,
        project_creation_restriction,
        read_only,
        token_expiration,
        session_timeout,
        robot_token_duration,
        robot_name_prefix,
        notification_enable,
        quota_per_project_enable,
        storage_per_project,
        oidc_extra_redirect_parms,
        scanner_skip_update_pulltime,
        banner_message: banner_message.as_ref().map(banner),
        ..Configuration::default()
    };
    let with_ldap = with_ldap(ldap, configuration);
    let with_oidc = with_oidc(oidc, with_ldap);
    let with_proxy = with_auth_proxy(auth_proxy, with_oidc);
    Ok(with_email(email, with_uaa(uaa, with_audit_log(audit_log, with_proxy))))
}

fn with_ldap(settings: LdapSettings, others: Configuration) -> Configuration {
    let LdapSettings {
        ldap_url,
        ldap_base_dn,
        ldap_filter,
        ldap_scope,
        ldap_uid,
        ldap_search_dn,
        ldap_search_password: _,
        ldap_timeout,
        ldap_verify_cert,
        ldap_group_base_dn,
        ldap_group_admin_dn,
        ldap_group_attribute_name,
        ldap_group_search_filter,
        ldap_group_search_scope,
        ldap_group_membership_attribute,
        ldap_group_attach_parallel,
    } = settings;
    Configuration {
        ldap_url,
        ldap_base_dn,
        ldap_uid,
        ldap_search_dn,
        ldap_filter,
        ldap_scope,
        ldap_timeout,
        ldap_verify_cert,
        ldap_group_base_dn,
        ldap_group_search_filter,
        ldap_group_search_scope,
        ldap_group_attribute_name,
        ldap_group_admin_dn,
        ldap_group_membership_attribute,
        ldap_group_attach_parallel,
        ..others
    }
}

fn with_oidc(settings: OidcSettings, others: Configuration) -> Configuration {
    let OidcSettings {
        oidc_name,
        oidc_endpoint,
        oidc_client_id,
        oidc_client_secret: _,
        oidc_groups_claim,
        oidc_admin_group,
        oidc_scope,
        oidc_user_claim,
        oidc_verify_cert,
        oidc_auto_onboard,
        // Parsed before.
        oidc_extra_redirect_parms: _,
        oidc_group_filter,
        oidc_logout,
    } = settings;
    Configuration {
        oidc_name,
        oidc_endpoint,
        oidc_client_id,
        oidc_groups_claim,
        oidc_admin_group,
        oidc_group_filter,
        oidc_scope: oidc_scope.as_deref().map(comma_list),
        oidc_user_claim,
        oidc_verify_cert,
        oidc_auto_onboard,
        oidc_logout,
        ..others
    }
}

fn with_auth_proxy(settings: AuthProxySettings, others: Configuration) -> Configuration {
    let AuthProxySettings {
        http_authproxy_endpoint,
        http_authproxy_tokenreview_endpoint,
        http_authproxy_admin_groups,
        http_authproxy_admin_usernames,
        http_authproxy_verify_cert,
        http_authproxy_skip_search,
        // A switch of the old operator without effect.
        http_authproxy_server_certificate: _,
        http_authproxy_server_certificate_pem,
    } = settings;
    Configuration {
        http_authproxy_endpoint,
        http_authproxy_tokenreview_endpoint,
        http_authproxy_admin_groups,
        http_authproxy_admin_usernames,
        http_authproxy_server_certificate: http_authproxy_server_certificate_pem,
        http_authproxy_verify_cert,
        http_authproxy_skip_search,
        ..others
    }
}

fn with_uaa(settings: UaaSettings, others: Configuration) -> Configuration {
    let UaaSettings { uaa_endpoint, uaa_client_id, uaa_client_secret: _, uaa_verify_cert } = settings;
    Configuration { uaa_client_id, uaa_endpoint, uaa_verify_cert, ..others }
}

fn with_audit_log(settings: AuditLogSettings, others: Configuration) -> Configuration {
    let AuditLogSettings {
        audit_log_forward_endpoint,
        skip_audit_log_database,
        disabled_audit_log_event_types,
    } = settings;
    let disabled_audit_log_event_types =
        disabled_audit_log_event_types.map(|events| events.into_iter().map(|event| event.0).collect());
    Configuration {
        audit_log_forward_endpoint,
        skip_audit_log_database,
        disabled_audit_log_event_types,
        ..others
    }
}

fn with_email(settings: EmailSettings, others: Configuration) -> Configuration {
    let EmailSettings {
        email_from,
        email_host,
        email_port,
        email_identity,
        email_username,
        email_password: _,
        email_ssl,
        email_insecure,
    } = settings;
    Configuration {
        email_host,
        email_port,
        email_username,
        email_from,
        email_ssl,
        email_insecure,
        email_identity,
        ..others
    }
}

fn map(text: &str) -> Result<BTreeMap<String, String>, PlanError> {
    serde_json::from_str(text).map_err(|_| {
        PlanError::invalid(
            field("oidc_extra_redirect_parms"),
            "is not a JSON object of texts",
            r#"write it as {"prompt": "login"}"#,
        )
    })
}

/// Harbor knows days only: the first with the banner, and the first without it again.
fn banner(banner: &BannerMessage) -> Banner {
    if banner.message.is_empty() {
        return Banner::default();
    }
    let day = |day: Date| day.strftime("%m/%d/%Y").to_string();
    let from = banner.from_date.as_ref().map(|time| date(time.0));
    let to = banner.to_date.as_ref().map(|time| first_day_after(time.0));
    let kind = match banner.type_.unwrap_or_default() {
        BannerType::Success => "success",
        BannerType::Info => "info",
        BannerType::Warning => "warning",
        BannerType::Danger => "danger",
    };
    Banner {
        message: banner.message.clone(),
        kind: kind.to_owned(),
        closable: banner.closable.unwrap_or_default(),
        from_date: from.map(day).unwrap_or_default(),
        to_date: to.map(day).unwrap_or_default(),
    }
}

fn date(time: Timestamp) -> Date {
    time.to_zoned(TimeZone::UTC).date()
}

/// The first day that begins at this time or later.
fn first_day_after(time: Timestamp) -> Date {
    let just_before = time.checked_sub(1.nanosecond()).unwrap_or(time);
    date(just_before).tomorrow().unwrap_or(Date::MAX)
}
