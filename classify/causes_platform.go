package classify

import "slices"

// platformCauses are what operational records tell of all but the control
// plane's configuration and certificates.
var platformCauses = slices.Concat(sidecarCauses, processCauses, webhookCauses, injectionCauses, istiodCauses, cniCauses, iptablesCauses)

var platformRules = slices.Concat(processRules, sidecarRules, webhookRules, injectionRules, istiodRules, cniRules, iptablesRules, foretoldRules)

// foretoldRules are about events that tell of requests which fail, or will.
var foretoldRules = []Rule{
	{"message:with_no_vhosts,setting_up_a_default_404_vhost", "gateway-host-unbound", "", Medium},
	{"message:skipping_server_on_gateway message:non_unique_port_name,conflict_with_existing_server,duplicate_host_names", "gateway-port-name-conflict", "", High},
	{"message:failed_to_process_custom_action,due_to_bad_custom_action,available_providers_are", "ext-authz-provider-invalid", "", High},
	{"message:failed_to_fetch_public_key,failed_to_fetch_jwt_public_key,failed_to_refresh_jwt_public_key,failed_to_fetch_jwks", "jwt-jwks-unreachable", "", High},
	{"message:jwks_async_fetching message:failed", "jwt-jwks-unreachable", "", High},
	{"emitter:envoy message:fetch_pubkey,fetching_pubkey message:failed,network_error", "jwt-jwks-unreachable", "", High},
	{"message:overload_action message:became_active,has_become_active,became_saturated,became_scaling", "overload-manager", "", High},
}
