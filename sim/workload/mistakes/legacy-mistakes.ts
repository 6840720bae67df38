import { accepted, get, post, put, refused, type Settled, type SettledParts } from './settled.ts'

/** Requests of the legacy API, in which the ID of a token is its secret, and about the translation of its rules. */

const made = /^\{"ID":"[^"]+"\}/
const rules = 'key "a" { policy = "read" }'

export const legacyMistakes: readonly Settled[] = [
  accepted('a token', ({ mark }) => put('/v1/acl/create', { Name: mark, Rules: rules }), made),
  accepted('a token of an ID of its own', ({ mark }) => put('/v1/acl/create', { ID: mark, Type: 'client' }), made),
  refused(
    'a type that does not exist',
    ({ mark }) => put('/v1/acl/create', { Name: mark, Type: 'root' }),
    500,
    /Invalid ACL Type/,
  ),
  refused(
    'rules that end too early',
    ({ mark }) => put('/v1/acl/create', { Name: mark, Rules: 'key "a" {' }),
    500,
    /rule compilation failed/,
  ),
  refused('a token that is no JSON', () => put('/v1/acl/create', '{'), 400, /./),
  refused('a change of no token', ({ mark }) => put('/v1/acl/update', { Name: mark }), 400, /ACL ID must be set/),
  refused('a change that is no JSON', () => put('/v1/acl/update', '['), 400, /./),
  refused(
    'a change of a built-in token',
    ({ mark }) => put('/v1/acl/update', { ID: 'deny', Name: mark }),
    403,
    /Cannot modify root ACL/,
  ),
  accepted('other rules', ({ made: id, mark }) => put('/v1/acl/update', { ID: id, Name: mark, Rules: rules }), made, {
    first: token,
  }),
  refused('no token to delete', () => put('/v1/acl/destroy/'), 400, /Missing ACL/),
  refused('the anonymous token to delete', () => put('/v1/acl/destroy/anonymous'), 403, /Cannot delete anonymous/),
  refused('a built-in token to delete', () => put('/v1/acl/destroy/deny'), 403, /Cannot modify root ACL/),
  accepted('a token to delete', ({ made: id }) => put(`/v1/acl/destroy/${id}`), /^true/, {
    first: token,
    leaves: 'nothing',
  }),
  refused('no token to read', () => get('/v1/acl/info/'), 400, /Missing ACL/),
  accepted('a token to read that never existed', ({ mark }) => get(`/v1/acl/info/${mark}`), /^\[\]/, {
    leaves: 'nothing',
  }),
  refused('no token to copy', () => put('/v1/acl/clone/'), 400, /Missing ACL/),
  refused('a copy of a token that never existed', ({ mark }) => put(`/v1/acl/clone/${mark}`), 403, /Permission denied/),
  accepted('a copy', ({ made: id }) => put(`/v1/acl/clone/${id}`), made, { first: token, leaves: 'nothing' }),
  accepted('all tokens', () => get('/v1/acl/list'), /^\[/, { leaves: 'nothing' }),
  accepted('rules to translate', () => post('/v1/acl/rules/translate', rules), /key_prefix "a"/, {
    leaves: 'nothing',
  }),
  refused('rules to translate that end too early', () => post('/v1/acl/rules/translate', 'key "a" {'), 400, /Bad/),
  refused('rules to translate of no token', () => get('/v1/acl/rules/translate/'), 400, /Missing token ID/),
  refused(
    'rules to translate of a token that never existed',
    ({ mark }) => get(`/v1/acl/rules/translate/${mark}`),
    403,
    /ACL not found/,
  ),
  refused(
    'rules to translate of a token that has policies instead',
    ({ made: id }) => get(`/v1/acl/rules/translate/${id}`),
    500,
    /does not have any rules set/,
    { first: ({ mark }) => put('/v1/acl/token', { Description: mark }) },
  ),
  accepted('the token of the caller', () => get('/v1/acl/token/self'), /"SecretID":"root"/, { leaves: 'nothing' }),
]

function token({ mark }: SettledParts) {
  return put('/v1/acl/create', { Name: mark, Rules: rules })
}
