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
      'What the authority is told at the first start of the mesh: `leaf_cert_ttl`, `rotation_period`, `csr_max_per_second`, `private_key`, `root_cert`, `cluster_id`; of vault `address`, `token`, `root_pki_path`, `intermediate_pki_path`. Afterwards `svc connect ca set-config` tells it.',
    ),
    ca_provider: key(
      text,
      'The provider that signs certificates: the servers, or vault. Used only when the mesh begins.',
      { default: '' },
    ),
    clock_skew: key(
      duration,
      'How far the clocks of all machines may be apart, from 1s to 1h: certificates are back-dated by it, and old roots kept longer. The same on all servers.',
      { default: '60s', since: '1.4.0' },
    ),
    enabled: key(bool, 'Servers run the mesh, with a certificate authority of its own. -dev: true.', {
      default: false,
    }),
    federation: key(
      bool,
      'Datacenters come to be of one mesh, that of the primary one. false, on servers of another datacenter: it keeps a mesh of its own; one that has joined stays. On those of the primary: it signs for no other, also for none that has joined. The same on all servers of a datacenter.',
      { default: true, since: '1.4.0' },
    ),
    proxy: block('Proxies that the agent starts.', {
      allow_managed_api_registration: key(bool, 'They may be registered over HTTP.', { default: false, ...managed }),
      allow_managed_root: key(bool, 'They run also where the agent runs as root, and as root.', {
        default: false,
        ...managed,
      }),
    }),
    proxy_defaults: block('What proxies have that say nothing else.', {
      config: key(anything, 'Settings of the proxy, beside its own.', managed),
      daemon_command: key(
        texts,
        'A program that runs as long as the proxy. Without one: `svc connect proxy`.',
        managed,
      ),
      exec_mode: key(
        text,
        'daemon. A proxy with script is refused: that word is reserved, and runs nothing in any release.',
        managed,
      ),
      script_command: key(texts, 'A program that is run at each change.', {
        ...managed,
        waits: { for: 'exec_mode script runs nothing in any release', never: true },
      }),
    }),
  }),
}
