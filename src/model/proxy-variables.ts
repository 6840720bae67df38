/**
 * Environment variables by which an agent tells a proxy that it runs what that is.
 * Reference: command-line.md#env-connect_proxy_id.
 */
export const proxyVariables = {
  id: 'CONNECT_PROXY_ID',
  token: 'CONNECT_PROXY_TOKEN',
  /** It ends when its standard input does: the agent is gone then. */
  tethered: 'CONNECT_PROXY_TETHERED',
} as const
