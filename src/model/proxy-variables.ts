/**
 * Environment variables with which an agent configures a proxy that it runs. Reference:
 * command-line.md#env-connect_proxy_id.
 */
export const proxyVariables = {
  id: 'CONNECT_PROXY_ID',
  token: 'CONNECT_PROXY_TOKEN',
  /** The proxy ends when its standard input ends, because the agent has then ended. */
  tethered: 'CONNECT_PROXY_TETHERED',
} as const
