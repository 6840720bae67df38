/**
 * Rules of one team of many, of ten kinds: its own keys, services, nodes and sessions, and some exceptions.
 * `keys`: the prefix of its keys; `name`: that of the names of everything else; `team`: its number.
 */
export function teamRules({ keys, name, team }) {
  return [
    `key_prefix "${keys}/" { policy = "write" }`,
    `key_prefix "${keys}/public/" { policy = "read" }`,
    `key "${keys}/owner" { policy = "deny" }`,
    `service_prefix "${name}-" { policy = "write" intentions = "read" }`,
    `service "shared-${team}" { policy = "read" }`,
    `service_prefix "${name}-internal-" { policy = "deny" }`,
    `node_prefix "${name}-" { policy = "write" }`,
    `session_prefix "${name}-" { policy = "write" }`,
    `query_prefix "${name}-" { policy = "write" }`,
    `event_prefix "${name}-" { policy = "write" }`,
  ].join('\n')
}
