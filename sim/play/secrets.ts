import type { GivenAct } from './acts-done.ts'

/** Names of headers that say by which right a request is made. */
const tokenHeader = /^(?:x-.*-token|authorization)$/i
const tokenParameter = /[?&]token=/
const tokenFlag = /^--?token(?:=|$)/

/** How many of these acts hold a token: requests and commands are kept as they came. */
export function actsWithTokens(acts: readonly GivenAct[]): number {
  return acts.filter(hasToken).length
}

function hasToken({ http, svc }: GivenAct): boolean {
  const { request = '', headers = {} } = (http ?? {}) as { readonly request?: string; readonly headers?: object }
  const { args = [] } = (svc ?? {}) as { readonly args?: readonly unknown[] }
  return (
    tokenParameter.test(request) ||
    Object.keys(headers).some((name) => tokenHeader.test(name)) ||
    args.some((word) => typeof word === 'string' && tokenFlag.test(word))
  )
}
