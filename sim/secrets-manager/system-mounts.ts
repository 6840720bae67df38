import type { HttpResponse } from '../../src/env/http.ts'
import { errors, frame, nothing, wrapped } from './answers.ts'
import { leasesOf, type Mounts } from './mounts.ts'
import type { PkiMount } from './pki-mount.ts'
import { type Body, isBody, notANumber, secondsOf } from './request-body.ts'

interface SystemCall {
  readonly method: string
  readonly path: string
  readonly body: Body
}

/** The part of the API below `sys/mounts`: engines are mounted, tuned and unmounted. */
export class SystemMounts {
  readonly #mounts: Mounts
  readonly #newMount: () => PkiMount
  readonly #requestId: () => string

  constructor(mounts: Mounts, newMount: () => PkiMount, requestId: () => string) {
    this.#mounts = mounts
    this.#newMount = newMount
    this.#requestId = requestId
  }

  answer({ method, path, body }: SystemCall): HttpResponse {
    if (path === 'sys/mounts') {
      if (method !== 'GET') return wrapped(405, 'unsupported operation')
      const shown = this.#mounts.shown()
      return frame(this.#requestId(), shown, { top: shown })
    }
    const rest = path.slice('sys/mounts/'.length)
    if (rest.endsWith('/tune')) return this.#tune(method, rest.slice(0, -'/tune'.length), body)
    if (method === 'DELETE') {
      this.#mounts.remove(rest)
      return nothing
    }
    return method === 'PUT' ? this.#mount(rest, body) : wrapped(405, 'unsupported operation')
  }

  #mount(path: string, body: Body): HttpResponse {
    const { type, description, config } = body
    if (typeof type !== 'string') return errors(400, 'backend type must be specified as a string')
    if (type !== 'pki') return errors(400, `plugin not found in the catalog: ${type}`)
    const given = isBody(config) ? config['max_lease_ttl'] : undefined
    const maxLease = secondsOf(given)
    if (maxLease === undefined) return errors(400, `unable to parse max TTL of ${String(given)}: ${notANumber(given)}`)
    const taken = this.#mounts.inTheWayOf(path)
    if (taken !== undefined) return errors(400, `existing mount at ${taken}/`)
    this.mount(path, typeof description === 'string' ? description : '', maxLease)
    return nothing
  }

  mount(path: string, description = '', maxLease = 0): void {
    this.#mounts.add({ path, description, maxLease, defaultLease: 0, pki: this.#newMount() })
  }

  #tune(method: string, path: string, body: Body): HttpResponse {
    const mount = this.#mounts.get(path)
    if (mount === undefined) {
      const text =
        method === 'GET'
          ? `cannot fetch sysview for path "${path}/"`
          : `tune of path "${path}/" failed: no mount entry found`
      return errors(400, text)
    }
    if (method === 'GET') {
      const leases = leasesOf(mount)
      const shown = { default_lease_ttl: leases.default, force_no_cache: false, max_lease_ttl: leases.max }
      return frame(this.#requestId(), shown, { top: shown })
    }
    const { max_lease_ttl: max, default_lease_ttl: usual } = body
    const maxLease = max === undefined ? mount.maxLease : secondsOf(max)
    if (maxLease === undefined) return errors(400, notANumber(max))
    const byDefault = usual === undefined ? mount.defaultLease : secondsOf(usual)
    if (byDefault === undefined) return errors(400, notANumber(usual))
    if (maxLease > 0 && byDefault > maxLease) {
      const why = `would be less than backend default lease TTL of ${byDefault}`
      return errors(400, `backend max lease TTL of ${maxLease} ${why}`)
    }
    mount.maxLease = maxLease
    mount.defaultLease = byDefault
    return nothing
  }
}
