/** What tells the two pools of an agent apart in the data directory and in its log. */
export interface PoolFiles {
  readonly pool: 'LAN' | 'WAN'
  readonly snapshot: string
  readonly keyring: string
}

/** All agents of the datacenter. Names of files as in the field. */
export const lanFiles: PoolFiles = { pool: 'LAN', snapshot: 'local.snapshot', keyring: 'local.keyring' }

/** The servers of all datacenters. */
export const wanFiles: PoolFiles = { pool: 'WAN', snapshot: 'remote.snapshot', keyring: 'remote.keyring' }
