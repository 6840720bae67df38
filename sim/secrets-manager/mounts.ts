import type { Json } from '../../src/base/json.ts'
import type { PkiMount } from './pki-mount.ts'
import { systemLeaseSeconds } from './request-body.ts'

export interface Mount {
  readonly path: string
  readonly description: string
  /** Seconds; 0: the system's value. */
  maxLease: number
  defaultLease: number
  readonly pki: PkiMount
}

/** Mounted engines by path, without a slash at the end. */
export class Mounts {
  readonly #byPath = new Map<string, Mount>()

  /** The mount at, below or above this path; undefined: there is none in the way. */
  inTheWayOf(path: string): string | undefined {
    return [...this.#byPath.keys()].find(
      (other) => `${other}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${other}/`),
    )
  }

  add(mount: Mount): void {
    this.#byPath.set(mount.path, mount)
  }

  /** Removing a mount that does not exist succeeds. */
  remove(path: string): void {
    this.#byPath.delete(path)
  }

  get(path: string): Mount | undefined {
    return this.#byPath.get(path)
  }

  /** The mount for a request, and the path within it. */
  find(path: string): { readonly mount: Mount; readonly within: string } | undefined {
    for (const mount of this.#byPath.values()) {
      if (path.startsWith(`${mount.path}/`)) return { mount, within: path.slice(mount.path.length + 1) }
    }
    return undefined
  }

  shown(): Readonly<Record<string, Json>> {
    return Object.fromEntries(
      [...this.#byPath.values()].map(({ path, description, maxLease, defaultLease }) => [
        `${path}/`,
        {
          accessor: `pki_${path}`,
          config: { default_lease_ttl: defaultLease, force_no_cache: false, max_lease_ttl: maxLease },
          description,
          local: false,
          options: {},
          seal_wrap: false,
          type: 'pki',
        },
      ]),
    )
  }
}

/** The leases in force. */
export function leasesOf({ maxLease, defaultLease }: Pick<Mount, 'maxLease' | 'defaultLease'>): {
  readonly max: number
  readonly default: number
} {
  const max = maxLease === 0 ? systemLeaseSeconds : maxLease
  return { max, default: defaultLease === 0 ? systemLeaseSeconds : defaultLease }
}
