import { answeredWith, type Channel } from './channel.ts'

/** The session of `svc-sim play`, which serves this page. */
export function serverChannel(token: string): Channel {
  return async (method, path, body) => {
    try {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
      const answer = await fetch(`/${path}`, method === 'GET' ? { headers } : { method, headers, body })
      return answeredWith(answer.ok, await answer.text())
    } catch (reason) {
      const words = reason instanceof Error ? reason.message : String(reason)
      return { ok: false, error: `svc-sim play does not answer (${words}); is it still running?` }
    }
  }
}

/** The token is in the address until it was read, and then in the tab, so that the page can be reloaded. */
export function tokenOf(location: Location, kept: Storage): string {
  const asked = new URLSearchParams(location.hash.slice(1)).get('token')
  if (asked !== null) {
    kept.setItem('token', asked)
    history.replaceState(undefined, '', location.pathname)
  }
  return asked ?? kept.getItem('token') ?? ''
}
