import { accepted, get, post, put, refused, remove, type Settled, type SettledParts } from './settled.ts'

/** Requests about intentions and the certificate authority. */

const made = /"ID":"/

export const intentionMistakes: readonly Settled[] = [
  refused('no source', intention({ SourceName: '' }), 400, /SourceName must be set/),
  refused('no destination', intention({ DestinationName: '' }), 400, /DestinationName must be set/),
  refused('half a wildcard', intention({ SourceName: 'a*' }), 400, /SourceName: wildcard character/),
  refused(
    'a name in all namespaces',
    intention({ SourceNS: '*' }),
    400,
    /exact value cannot follow wildcard namespace/,
  ),
  refused('neither allowed nor denied', intention({ Action: 'maybe' }), 400, /Action must be set/),
  refused('an unknown kind of source', intention({ SourceType: 'host' }), 400, /SourceType must be set/),
  refused('a port that is no port', intention({ DefaultPort: 65_536 }), 400, /DefaultPort must be between/),
  refused('a description that is too long', intention({ DefaultAddr: 'x'.repeat(513) }), 400, /exceeds maximum length/),
  refused(
    'more metadata than an intention may have',
    intention({ Meta: Object.fromEntries(Array.from({ length: 65 }, (_, nth) => [`k${nth}`, 'v'])) }),
    400,
    /Meta exceeds maximum element count 64/,
  ),
  accepted(
    'as much metadata as an intention may have',
    intention({ Meta: Object.fromEntries(Array.from({ length: 64 }, (_, nth) => [`k${nth}`.padEnd(128, 'k'), 'v'])) }),
    made,
  ),
  accepted('a description that is just not too long', intention({ DefaultAddr: 'x'.repeat(512) }), made),
  refused('metadata with a long key', intention({ Meta: { ['k'.repeat(129)]: 'v' } }), 400, /Meta key/),
  refused(
    'an ID',
    ({ mark, other }) => post('/v1/connect/intentions', { ...body(mark), ID: other }),
    400,
    /ID must be empty/,
  ),
  accepted('a source of every service', intention({ SourceName: '*' }), made),
  refused('a second one for the same pair', twin, 400, /duplicate intention found/, { first: twin, leaves: 'refusal' }),
  refused(
    'one that never existed',
    ({ mark }) => put(`/v1/connect/intentions/${mark}`, body(mark)),
    400,
    /non-existent/,
  ),
  refused(
    'one to delete that never existed',
    ({ mark }) => remove(`/v1/connect/intentions/${mark}`),
    400,
    /non-existent/,
  ),
  refused(
    'one to read that never existed',
    ({ mark }) => get(`/v1/connect/intentions/${mark}`),
    404,
    /Intention not found/,
  ),
  refused(
    'an ID that is too short',
    ({ mark }) => remove(`/v1/connect/intentions/${mark.slice(1)}`),
    400,
    /must be 36 characters/,
  ),
  accepted(
    'another action',
    ({ made: id, mark }) => put(`/v1/connect/intentions/${id}`, { ...body(mark), Action: 'deny' }),
    made,
    {
      first: ({ mark }) => post('/v1/connect/intentions', body(mark)),
    },
  ),
  refused('a change that is no JSON', ({ mark }) => put(`/v1/connect/intentions/${mark}`, '{'), 400, /./),
  refused('a list of two consistencies', () => get('/v1/connect/intentions?stale&consistent'), 400, /conflicting/),
  refused(
    'matches of both ends',
    () => get('/v1/connect/intentions/match?by=source&by=source&name=web'),
    400,
    /'by' not set/,
  ),
  refused('matches of too many names', () => matching(65), 400, /more than 64 times/),
  accepted('matches of as many names as there may be', () => matching(64), /^\{/, { leaves: 'nothing' }),
  refused('matches of neither end', () => get('/v1/connect/intentions/match?name=web'), 400, /./),
  refused('matches of no name', () => get('/v1/connect/intentions/match?by=source'), 400, /./),
  refused(
    'matches of a name with two slashes',
    () => get('/v1/connect/intentions/match?by=source&name=a/b/c'),
    400,
    /at most one '\/'/,
  ),
  refused(
    'a question without a source',
    () => get('/v1/connect/intentions/check?destination=web'),
    400,
    /'source' not set/,
  ),
  refused(
    'a question with two sources',
    () => get('/v1/connect/intentions/check?source=api&source=db&destination=web'),
    400,
    /'source' not set/,
  ),
  refused(
    'a source with two slashes',
    () => get('/v1/connect/intentions/check?source=a/b/c&destination=web'),
    400,
    /at most one '\/'/,
  ),
  refused(
    'a destination with two slashes',
    () => get('/v1/connect/intentions/check?source=web&destination=a/b/c'),
    400,
    /destination .* at most one '\/'/,
  ),
  refused('a decision about no target', authorizing({ Target: '' }), 400, /Target service must be specified/),
  refused(
    'a decision about a target that is too long',
    authorizing({ Target: 'x'.repeat(513) }),
    400,
    /Target exceeds maximum length/,
  ),
  accepted(
    'a decision about a target that is just not too long',
    authorizing({ Target: 'x'.repeat(512) }),
    /"Authorized":false/,
    { leaves: 'nothing' },
  ),
  refused(
    'a client that is no service',
    authorizing({ ClientCertURI: 'spiffe://a.svc' }),
    400,
    /ClientCertURI not a valid/,
  ),
  refused(
    'a client that is no SPIFFE ID',
    authorizing({ ClientCertURI: 'http://a' }),
    400,
    /ClientCertURI not a valid Connect/,
  ),
]

function matching(names: number) {
  return get(`/v1/connect/intentions/match?by=source${'&name=web'.repeat(names)}`)
}

function body(mark: string) {
  return { SourceName: `from-${mark}`, DestinationName: `to-${mark}`, Action: 'allow', Description: mark }
}

function intention(members: object): Settled['request'] {
  return ({ mark }) => post('/v1/connect/intentions', { ...body(mark), ...members })
}

/** The first and the second of these are for one pair. */
function twin({ mark, other }: SettledParts) {
  return post('/v1/connect/intentions', { ...body(other), Description: mark })
}

function authorizing(members: object): Settled['request'] {
  const client = 'spiffe://11111111-2222-3333-4444-555555555555.svc/ns/default/dc/dc1/svc/web'
  return () => post('/v1/agent/connect/authorize', { Target: 'web', ClientCertURI: client, ...members })
}

const path = '/v1/connect/ca/configuration'

export const authorityMistakes: readonly Settled[] = [
  refused('an unknown provider', () => put(path, { Provider: 'nobody', Config: {} }), 400, /unknown CA provider/),
  refused(
    'an index that is no number',
    () => put(`${path}?cas=x`, { Provider: 'svc', Config: {} }),
    400,
    /Error parsing cas value/,
  ),
  // Not one of its options may change: the answer is false, and not an error.
  accepted(
    'the index of no configuration',
    () => put(`${path}?cas=1`, { Provider: 'svc', Config: { LeafCertTTL: '71h' } }),
    /^false/,
    {
      leaves: 'nothing',
    },
  ),
  refused('leaves for a minute', configuring({ LeafCertTTL: '1m' }), 400, /leaf cert TTL must be greater/),
  refused('leaves for more than a year', configuring({ LeafCertTTL: '8761h' }), 400, /less than 1 year/),
  refused('a lifetime without a unit', configuring({ LeafCertTTL: 'soon' }), 400, /LeafCertTTL/),
  refused('a rate below zero', configuring({ CSRMaxPerSecond: -1 }), 400, /CSRMaxPerSecond/),
  refused('an option that is a list', configuring({ RootCert: [] }), 400, /RootCert/),
  refused('an unknown kind of key', configuring({ PrivateKeyType: 'dsa' }), 400, /PrivateKeyType is ec/),
  refused('a key that is none', configuring({ PrivateKey: 'secret' }), 400, /error parsing private key/),
  refused('a root without its key', configuring({ RootCert: 'x' }), 400, /RootCert needs its PrivateKey/),
  refused('a secrets manager without a token', manager({ Token: '' }), 400, /must provide a Vault token/),
  refused('a secrets manager at no address', manager({ Address: 'nowhere' }), 400, /Address must be such as/),
  refused('a mount within another', manager({ IntermediatePKIPath: 'root/below' }), 400, /two mounts/),
  refused(
    'an unknown kind of key of a secrets manager',
    manager({ PrivateKeyType: 'dsa' }),
    400,
    /PrivateKeyType must be ec or rsa/,
  ),
  refused(
    'a key of an unknown length',
    manager({ PrivateKeyType: 'rsa', PrivateKeyBits: 1024 }),
    400,
    /PrivateKeyBits must be one of/,
  ),
  refused('a token of two words', manager({ Token: 'two words' }), 400, /character that no token has/),
  refused('a token that is a number', manager({ Token: 7 }), 400, /Token is not a string/),
  refused('a port that is none', manager({ Address: 'http://10.0.0.1:99999' }), 400, /invalid port/),
  refused('no mount of the root', manager({ RootPKIPath: '../sys' }), 400, /valid path to a root PKI backend/),
  refused('no mount of the intermediate', manager({ IntermediatePKIPath: '' }), 400, /intermediate PKI backend/),
  refused('a certificate without its key', manager({ CertFile: '/cert.pem' }), 400, /CertFile and KeyFile belong/),
  refused('a trust that TLS needs, without TLS', manager({ CAFile: '/ca.pem' }), 400, /must begin with https/),
  refused('a trust that is a word', manager({ TLSSkipVerify: 'yes' }), 400, /neither true nor false/),
  refused('a hidden token that was never given', manager({ Token: 'hidden' }), 400, /stored value, but there is none/),
  refused('an option that is too long', manager({ CAFile: 'x'.repeat(65_536) }), 400, /./),
  refused('a leaf for no service', () => get('/v1/agent/connect/ca/leaf/'), 400, /Missing service name/),
]

function configuring(options: object): Settled['request'] {
  return () => put(path, { Provider: 'svc', Config: options })
}

function manager(options: object): Settled['request'] {
  const sound = { Token: 'token', RootPKIPath: 'root', IntermediatePKIPath: 'intermediate' }
  return () => put(path, { Provider: 'vault', Config: { ...sound, ...options } })
}
