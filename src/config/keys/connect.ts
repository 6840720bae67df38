import { z } from 'zod'
import { block, keysOf } from './key.ts'
import { bool, duration, text, texts } from './types.ts'

/** Keys of the mesh and its certificate authority. Reference: configuration.md#connect-keys. */

const key = keysOf('mesh', { since: '1.2.0' })
const managed = { deprecated: 'a sidecar registration' } as const
const anything = z.record(z.string(), z.unknown())

export const connectKeys = {
  connect: block('The mesh and its certificate authority.', {
    ca_config: key(
      anything,
      'Settings of the authority at the first start of the mesh: `leaf_cert_ttl`, `rotation_period`, `csr_max_per_second`, `private_key`, `root_cert`, `cluster_id`; for vault `address`, `token`, `root_pki_path`, `intermediate_pki_path`. Afterwards `svc connect ca set-config` changes them.',
    ),
    ca_provider: key(
      text,
      'Where certificates are signed: by the servers (svc), or by vault. It counts at the first start of the mesh alone.',
      { default: '' },
    ),
    clock_skew: key(
      duration,
      'How far the clocks of the machines may be apart, from 1s to 1h: certificates are back-dated by this time, and old roots are kept for so much longer. The same on all servers.',
      { default: '60s', since: '1.4.0' },
    ),
    enabled: key(bool, 'Turns the mesh on, with a certificate authority of its own. -dev: true.', {
      default: false,
    }),
    federation: key(
      bool,
      'Secondary datacenters join the mesh of the primary one. false on the servers of a secondary: it keeps a mesh of its own, unless it has joined already. false on the servers of the primary: it signs for no other datacenter, even for one that has joined. The same on all servers of a datacenter.',
      { default: true, since: '1.4.0' },
    ),
    proxy: block('Proxies that the agent starts.', {
      allow_managed_api_registration: key(bool, 'Such proxies may be registered over HTTP.', {
        default: false,
        ...managed,
      }),
      allow_managed_root: key(
        bool,
        'Such proxies are started even if the agent runs as root; they then run as root, too.',
        {
          default: false,
          ...managed,
        },
      ),
    }),
    proxy_defaults: block('Settings of proxies whose registration does not say otherwise.', {
      config: key(anything, 'Settings that are added to those of the registration.', managed),
      daemon_command: key(
        texts,
        'Command line of the program that is the proxy. Default: `svc connect proxy`.',
        managed,
      ),
      exec_mode: key(
        text,
        'daemon, the only mode: `script` is reserved, and a proxy that asks for it is refused.',
        managed,
      ),
      script_command: key(texts, 'Accepted, without effect: no release runs it.', {
        ...managed,
        waits: { for: 'exec_mode script runs nothing in any release', never: true },
      }),
    }),
  }),
}
