import type { Caller } from '../api/client.ts'

const tokenKey = 'token'
const datacenterKey = 'datacenter'

/** Kept until the tab is closed, and seen by no other tab. */
export function keptCaller(): Caller {
  return { token: sessionStorage.getItem(tokenKey) ?? '', datacenter: sessionStorage.getItem(datacenterKey) ?? '' }
}

export function keepCaller({ token, datacenter }: Caller): void {
  sessionStorage.setItem(tokenKey, token)
  sessionStorage.setItem(datacenterKey, datacenter)
}
