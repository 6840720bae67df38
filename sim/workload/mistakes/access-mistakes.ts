import { accepted, get, put, refused, remove, type Settled, type SettledParts } from './settled.ts'

/** Requests about policies and tokens, by a caller that may do everything. */

const management = '00000000-0000-0000-0000-000000000001'
const anonymous = '00000000-0000-0000-0000-000000000002'
const written = /"CreateIndex":(\d+),"ModifyIndex":\1\D/
/** What existed before has the index of its creation still. */
const changed = /"CreateIndex":(\d+),"ModifyIndex":(?!\1\D)\d/

export const policyMistakes: readonly Settled[] = [
  refused('no name', () => put('/v1/acl/policy', { Rules: '' }), 500, /no Name is set/),
  refused('a name with a space', ({ mark }) => put('/v1/acl/policy', { Name: `a ${mark}` }), 500, /invalid Name/),
  refused(
    'rules that end too early',
    ({ mark }) => put('/v1/acl/policy', { Name: mark, Rules: 'key "a" {' }),
    500,
    /./,
  ),
  accepted(
    'rules for a resource that does not exist',
    ({ mark }) => put('/v1/acl/policy', { Name: mark, Rules: 'door "a" { policy = "read" }' }),
    written,
  ),
  refused(
    'an unknown right',
    ({ mark }) => put('/v1/acl/policy', { Name: mark, Rules: 'key "a" { policy = "own" }' }),
    500,
    /./,
  ),
  refused('a name that another policy has', namesake, 500, /already exists/, { first: namesake, leaves: 'refusal' }),
  refused(
    'a body with another ID than the path',
    ({ made, mark, other }) => put(`/v1/acl/policy/${made}`, { ID: other, Name: mark }),
    400,
    /do not match/,
    {
      first: policy,
    },
  ),
  accepted(
    'a body with the ID of the path',
    ({ made, mark }) => put(`/v1/acl/policy/${made}`, { ID: made, Name: mark }),
    changed,
    {
      first: policy,
    },
  ),
  refused(
    'a policy that never existed',
    ({ mark, other }) => put(`/v1/acl/policy/${other}`, { Name: mark }),
    500,
    /cannot find policy/,
    { leaves: 'refusal' },
  ),
  refused('an ID that is too short', ({ mark }) => put('/v1/acl/policy/abc', { Name: mark }), 500, /invalid UUID/),
  refused(
    'other rules for the built-in policy',
    ({ mark }) =>
      put(`/v1/acl/policy/${management}`, { Name: 'global-management', Description: mark, Rules: 'acl = "deny"' }),
    500,
    /not permitted/,
    { leaves: 'refusal' },
  ),
  refused('the built-in policy to delete', () => remove(`/v1/acl/policy/${management}`), 500, /not permitted/),
  refused('a policy to delete by a short ID', () => remove('/v1/acl/policy/abc'), 500, /./),
  accepted('a policy to delete', ({ made }) => remove(`/v1/acl/policy/${made}`), /^true/, {
    first: policy,
    leaves: 'nothing',
  }),
  refused('a policy that is no JSON', () => put('/v1/acl/policy', '['), 400, /./),
  refused('no policy to delete', () => remove('/v1/acl/policy/'), 400, /Missing policy ID/),
  accepted('policies of which one holds in one datacenter', () => get('/v1/acl/policies'), /"Datacenters":\["dc1"\]/, {
    first: ({ mark }) => put('/v1/acl/policy', { Name: mark, Datacenters: ['dc1'] }),
    leaves: 'nothing',
  }),
  refused('a policy to read that never existed', ({ mark }) => get(`/v1/acl/policy/${mark}`), 403, /ACL not found/),
]

export const tokenMistakes: readonly Settled[] = [
  refused(
    'a policy that does not exist',
    ({ mark }) => put('/v1/acl/token', { Description: mark, Policies: [{ Name: 'nobody' }] }),
    500,
    /./,
    { leaves: 'refusal' },
  ),
  refused(
    'rules of its own',
    ({ mark }) => put('/v1/acl/token', { Description: mark, Rules: 'x' }),
    500,
    /Rules cannot be specified/,
  ),
  refused(
    'a type',
    ({ mark }) => put('/v1/acl/token', { Description: mark, Type: 'client' }),
    500,
    /Type cannot be specified/,
  ),
  accepted('no policy at all', ({ mark }) => put('/v1/acl/token', { Description: mark }), written),
  refused(
    'a body with another ID than the path',
    ({ made, mark, other }) => put(`/v1/acl/token/${made}`, { AccessorID: other, Description: mark }),
    400,
    /do not match/,
    {
      first: token,
    },
  ),
  accepted(
    'a body with the ID of the path',
    ({ made, mark }) => put(`/v1/acl/token/${made}`, { AccessorID: made, Description: mark }),
    changed,
    {
      first: token,
    },
  ),
  refused(
    'another secret',
    ({ made, mark, other }) => put(`/v1/acl/token/${made}`, { SecretID: other, Description: mark }),
    500,
    /SecretID is not permitted/,
    { first: token },
  ),
  refused(
    'a local token that was global',
    ({ made, mark }) => put(`/v1/acl/token/${made}`, { Local: true, Description: mark }),
    500,
    /cannot toggle local mode/,
    { first: token },
  ),
  refused(
    'a token that never existed',
    ({ mark, other }) => put(`/v1/acl/token/${other}`, { Description: mark }),
    500,
    /Cannot find token/,
  ),
  refused(
    'an ID that is too short',
    ({ mark }) => put('/v1/acl/token/abc', { Description: mark }),
    500,
    /not a valid UUID/,
  ),
  refused(
    'a copy of a token that never existed',
    ({ mark, other }) => put(`/v1/acl/token/${other}/clone`, { Description: mark }),
    403,
    /ACL not found/,
  ),
  accepted('a copy', ({ made, mark }) => put(`/v1/acl/token/${made}/clone`, { Description: mark }), written, {
    first: token,
  }),
  refused('the anonymous token to delete', () => remove(`/v1/acl/token/${anonymous}`), 500, /not permitted/),
  accepted('a token to delete', ({ made }) => remove(`/v1/acl/token/${made}`), /^true/, {
    first: token,
    leaves: 'nothing',
  }),
  refused('a token that is no JSON', () => put('/v1/acl/token', '{'), 400, /./),
  accepted('a copy without a description', ({ made }) => put(`/v1/acl/token/${made}/clone`), written, {
    first: token,
    leaves: 'nothing',
  }),
  refused('a copy that is no JSON', ({ made }) => put(`/v1/acl/token/${made}/clone`, '{'), 400, /./, { first: token }),
  refused('no token to delete', () => remove('/v1/acl/token/'), 400, /Missing token ID/),
  refused('a token to read that never existed', ({ mark }) => get(`/v1/acl/token/${mark}`), 403, /ACL not found/),
  refused('a token to read by a short ID', () => get('/v1/acl/token/abc'), 500, /./),
  refused('a second beginning', () => put('/v1/acl/bootstrap'), 403, /./),
  refused('an explanation of no resource', () => get('/v1/acl/explain?right=read'), 400, /name the resource/),
  refused(
    'an explanation of a name that is too long',
    () => get(`/v1/acl/explain?resource=key&right=read&name=${'x'.repeat(2_049)}`),
    400,
    /./,
  ),
  refused(
    'a right to list services',
    () => get('/v1/acl/explain?resource=service&right=list&name=a'),
    400,
    /exists for keys alone/,
  ),
  refused(
    'a name of the keyring',
    () => get('/v1/acl/explain?resource=keyring&right=read&name=a'),
    400,
    /has no names/,
  ),
  refused(
    'an explanation about a token that never existed',
    ({ mark }) => get(`/v1/acl/explain?resource=key&right=read&name=a&accessor=${mark}`),
    403,
    /./,
  ),
  accepted('an explanation', () => get('/v1/acl/explain?resource=key&right=write&name=a'), /"Allowed":true/, {
    leaves: 'nothing',
  }),
  accepted(
    'an explanation of a resource without names',
    () => get('/v1/acl/explain?resource=acl&right=write'),
    /"Resource":"acl","Name":"","Right":"write","Allowed":true/,
    { leaves: 'nothing' },
  ),
  refused('a token of the agent that is no JSON', () => put('/v1/agent/token/acl_token', '{'), 400, /./),
  refused(
    'a token of the agent of an unknown kind',
    () => put('/v1/agent/token/door', { Token: '' }),
    404,
    /Token "door" is unknown/,
  ),
  accepted(
    'the progress of copies in the datacenter that is copied',
    () => get('/v1/acl/replication'),
    /^\{"Enabled":false,"Running":false,.*"LastSuccess":"0001-01-01T00:00:00Z","LastError":"0001-01-01T00:00:00Z","LastErrorMessage":"","LagMilliseconds":-1\}/,
    { leaves: 'nothing' },
  ),
  // The asked server answers from its own state, so the token is one that has always been there.
  accepted(
    'an explanation about another token',
    () => get(`/v1/acl/explain?resource=key&right=read&name=a&accessor=${anonymous}`),
    /"Allowed":false,"DecidedBy":"default"/,
    { leaves: 'nothing' },
  ),
]

function policy({ mark }: SettledParts) {
  return put('/v1/acl/policy', { Name: mark })
}

/** The first and the second of these have one name. */
function namesake({ mark, other }: SettledParts) {
  return put('/v1/acl/policy', { Name: other, Description: mark })
}

function token({ mark }: SettledParts) {
  return put('/v1/acl/token', { Description: mark })
}
