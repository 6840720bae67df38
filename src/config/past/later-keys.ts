/**
 * Keys that later releases of the field introduced, which operators may know from there. Keys are written with dots
 * where they are nested. The value is a clause that says what to write here instead; empty: there is no equivalent.
 */
const laterKeys: ReadonlyMap<string, string> = new Map([
  ['tls', "use 'ca_file', 'cert_file', 'key_file' and 'verify_incoming', 'verify_outgoing', 'verify_server_hostname'"],
  ['auto_encrypt', 'give each agent a certificate of its own: svc tls cert create'],
  ['auto_config', 'give each agent its configuration and certificate'],
  ['acl.tokens.initial_management', "use 'acl.tokens.master'"],
  ['acl.tokens.agent_recovery', "use 'acl.tokens.agent_master'"],
  ['acl.tokens.config_file_service_registration', "give each definition its token, or use 'acl.tokens.default'"],
  ['acl.tokens.dns', "use 'acl.tokens.default'"],
  ['acl.enable_token_persistence', "use 'acl.tokens'"],
  ['acl.role_ttl', "use 'acl.policy_ttl' and 'acl.token_ttl'"],
  ['ui_config', "use 'ui', 'ui_dir' and 'ui_content_path'"],
  ['ports.grpc_tls', "'ports.https' serves the HTTP API by TLS"],
  ['ports.expose_min_port', ''],
  ['ports.expose_max_port', ''],
  ['connect.enable_mesh_gateway_wan_federation', "use 'retry_join_wan'"],
  ['primary_gateways', "use 'retry_join_wan'"],
  ['primary_gateways_interval', "use 'retry_interval_wan'"],
  ['config_entries', ''],
  ['enable_central_service_config', ''],
  ['use_streaming_backend', ''],
  ['auto_reload_config', 'svc reload reads the files anew'],
  ['peering', ''],
  ['xds', ''],
  ['cloud', ''],
  ['reporting', ''],
  ['locality', ''],
  ['experiments', ''],
  ['audit', ''],
  ['rpc', ''],
  ['raft_logstore', ''],
])

/**
 * Says that this release does not know the key, and what to use instead; undefined if no other release has the key
 * either.
 */
export function laterKey(dotted: string): string | undefined {
  const instead = laterKeys.get(dotted)
  if (instead === undefined) return undefined
  return `this release does not know it, later ones do: ${instead === '' ? 'leave it to those' : instead}`
}

/** The names of all later keys. */
export function laterKeyNames(): readonly string[] {
  return [...laterKeys.keys()]
}
