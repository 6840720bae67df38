/** Names of the two pools of an agent, in the data directory and in its log. */
export interface PoolFiles {
  readonly pool: 'LAN' | 'WAN'
  readonly snapshot: string
  readonly keyring: string
}

/** The pool of all agents of the datacenter. Names of files as in the field. */
export const lanFiles: PoolFiles = { pool: 'LAN', snapshot: 'local.snapshot', keyring: 'local.keyring' }

/** The pool of the servers of all datacenters. */
export const wanFiles: PoolFiles = { pool: 'WAN', snapshot: 'remote.snapshot', keyring: 'remote.keyring' }
