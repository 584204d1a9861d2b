//! The one change of an immutable object.

use super::*;
use crate::{BCRYPT_COST, Recipe};

const PASSWORD: &str = "0123456789abcdef";

fn users() -> Desired {
    let password = ("password".to_owned(), Recipe::Alphanumeric { length: PASSWORD.len() });
    let line = Recipe::Htpasswd { user: "admin".into(), password: "password".into() };
    Desired::generated(secret(DeletionBehavior::Owned), [password, ("htpasswd".to_owned(), line)])
}

fn stored(found: &Found, cost: u32) -> DynamicObject {
    let hash = format!("admin:$2b${cost:02}${}", "a".repeat(53));
    let base64 = |text: &str| json!(k8s_openapi::ByteString(text.as_bytes().to_vec()));
    let data = json!({"data": {"password": base64(PASSWORD), "htpasswd": base64(&hash)}});
    DynamicObject { data, ..found.stored() }
}

proptest! {
    #[test]
    fn only_expensive_lines_in_a_secret_of_the_owner_are_replaced(
        found in found(), cost in BCRYPT_COST..12, immutable in any::<bool>(),
    ) {
        let mut stored = stored(&found, cost);
        if immutable {
            stored.data["immutable"] = true.into();
        }
        let action = resolve(&users(), Observed::Stored(&stored), Gate::OPEN, None);
        let is_expensive = cost > BCRYPT_COST && found.owner == 1 && !immutable;
        prop_assert_eq!(action == Action::Rehash, is_expensive, "{:?}", action);
    }

    #[test]
    fn replaced_lines_are_not_replaced_again(found in found()) {
        let action = resolve(&users(), Observed::Stored(&stored(&found, BCRYPT_COST)), Gate::OPEN, None);
        prop_assert!(matches!(action, Action::Nothing | Action::SetOwner), "{:?}", action);
    }
}
