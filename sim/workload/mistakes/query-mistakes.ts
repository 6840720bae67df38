import { accepted, get, post, put, refused, remove, type Settled, type SettledParts } from './settled.ts'

/** Requests about prepared queries. */

const created = /"ID":"/

export const queryMistakes: readonly Settled[] = [
  refused('neither a name nor a session', query({ Name: '', Near: 'x' }), 400, /Must be bound to a session/),
  refused('a definition that is no JSON', () => post('/v1/query', '{'), 400, /./),
  refused('no service', query({ Service: {} }), 400, /Must provide a Service name/),
  refused('fewer than no datacenters', searching({ Failover: { NearestN: -1 } }), 400, /Bad NearestN '-1'/),
  refused('a time to live without a unit', query({ DNS: { TTL: 'soon' } }), 400, /Bad DNS TTL 'soon'/),
  refused('a time to live below zero', query({ DNS: { TTL: '-3s' } }), 400, /must be >=0/),
  accepted('a time to live', query({ DNS: { TTL: '3s' } }), created),
  refused(
    'a name that is too long',
    ({ mark }) => definition({ Name: mark.padEnd(257, 'x') }),
    400,
    /longer than 256 bytes/,
  ),
  accepted('a name that is just not too long', ({ mark }) => definition({ Name: mark.padEnd(256, 'x') }), created),
  refused('metadata without a key', searching({ NodeMeta: { '': 'x' } }), 400, /Invalid node metadata filters/),
  refused('a redacted token', query({ Token: '<hidden>' }), 400, /Bad Token/),
  refused('an ID', ({ mark, other }) => definition({ ID: other, Name: mark }), 400, /ID must be empty/),
  refused('a session ID that is too short', query({ Session: 'abc' }), 400, /must be 36 characters/),
  refused(
    'a session that never existed',
    ({ mark, other }) => definition({ Name: mark, Session: other }),
    400,
    /invalid session/,
  ),
  refused('a name that another query has', twin, 400, /aliases an existing query name/, {
    first: twin,
    leaves: 'refusal',
  }),
  refused(
    'the ID of another query as its name',
    ({ made, mark }) => definition({ Name: made, Service: { Service: mark } }),
    400,
    /aliases an existing query ID/,
    { first: ({ mark }) => definition({ Name: mark }), leaves: 'refusal' },
  ),
  refused('a query that never existed', ({ mark }) => changed(mark), 400, /non-existent/),
  refused(
    'a session that never existed, for an existing query',
    ({ made, mark, other }) => put(`/v1/query/${made}`, { Name: mark, Session: other, Service: { Service: 'web' } }),
    400,
    /invalid session/,
    { first: ({ mark }) => definition({ Name: mark }) },
  ),
  accepted(
    'another definition',
    ({ made, mark }) => put(`/v1/query/${made}`, { Name: mark, Service: { Service: 'web' } }),
    /^\s*$/,
    {
      first: ({ mark }) => definition({ Name: mark }),
    },
  ),
  refused('a query to delete that never existed', ({ mark }) => remove(`/v1/query/${mark}`), 400, /non-existent/),
  refused('an ID that is too short', ({ mark }) => remove(`/v1/query/${mark.slice(1)}`), 400, /must be 36 characters/),
  refused(
    'an ID to read that is too short',
    ({ mark }) => get(`/v1/query/${mark.slice(1)}`),
    400,
    /must be 36 characters/,
  ),
  refused('a query to read that never existed', ({ mark }) => get(`/v1/query/${mark}`), 404, /Query not found/),
  refused(
    'a query to execute that never existed',
    ({ mark }) => get(`/v1/query/${mark}/execute`),
    404,
    /Query not found/,
  ),
  refused(
    'a query to explain that never existed',
    ({ mark }) => get(`/v1/query/${mark}/explain`),
    404,
    /Query not found/,
  ),
  refused('an execution to wait for', ({ mark }) => get(`/v1/query/${mark}/execute?${waiting}`), 404, /not found/),
  refused('an explanation to wait for', ({ mark }) => get(`/v1/query/${mark}/explain?${waiting}`), 404, /not found/),
]

/** An execution answers at once, whatever index its caller waits for. */
const waiting = 'index=1000000000&wait=8s'

const noTemplate = /failed compiling template/

export const templateMistakes: readonly Settled[] = [
  refused(
    'a template of an unknown type',
    templateOf({ Type: 'suffix_match' }),
    400,
    /Bad Template.Type 'suffix_match'/,
  ),
  refused('a group that is not closed', templateOf({ Regexp: '(a' }), 400, /Bad Regexp/),
  refused('a placeholder that is not closed', rendering('a-${name.full'), 400, noTemplate),
  refused('an unknown variable', rendering('${name.middle}'), 400, /unknown variable accessed: name.middle/),
  refused('an unknown function', rendering('${lower(name.full)}'), 400, /unknown interpolation/),
  refused('an unknown variable of a tag', searchingTemplate({ Tags: ['a', '${tag}'] }), 400, /Tags\[1\]/),
  refused(
    'an unknown variable of a datacenter',
    searchingTemplate({ Failover: { Datacenters: ['${dc}'] } }),
    400,
    /Failover.Datacenters\[0\]/,
  ),
  refused(
    'an unknown variable of metadata',
    searchingTemplate({ NodeMeta: { zone: '${zone}' } }),
    400,
    /NodeMeta\[zone\]/,
  ),
  refused(
    'a template requested by its ID',
    ({ made }) => get(`/v1/query/${made}/execute`),
    400,
    /only be resolved up by name/,
    {
      first: templateOf({}),
    },
  ),
  refused(
    'a template explained by its ID',
    ({ made }) => get(`/v1/query/${made}/explain`),
    400,
    /only be resolved up by name/,
    {
      first: templateOf({}),
    },
  ),
  grown('explained', 'explain'),
  grown('executed', 'execute'),
  // Rendered by hand: text before, between and after placeholders, an escaped one, a missing group.
  rendered('a-${name.suffix}-${match(1)}-z', 'a-one-two-one-z'),
  rendered('$${name.full}', '\\$\\{name\\.full\\}'),
  rendered('${match(0)}.${match(2)}.${match(7)}', '[^"]*one-two\\.two\\.'),
  rendered('${name.prefix}', '[0-9a-f-]{36}-'),
  rendered('${agent.segment}x', 'x'),
  tagged('an empty tag of a template', {}, '\\["","a"\\]'),
  tagged('an empty tag that a template removes', { RemoveEmptyTags: true }, '\\["a"\\]'),
]

function definition(members: object) {
  return post('/v1/query', { Service: { Service: 'web' }, ...members })
}

function changed(id: string) {
  return put(`/v1/query/${id}`, { Name: `q-${id}`, Service: { Service: 'web' } })
}

function query(members: object): Settled['request'] {
  return ({ mark }) => definition({ Name: mark, ...members })
}

function searching(service: object): Settled['request'] {
  return query({ Service: { Service: 'web', ...service } })
}

/** The first and the second of these have one name. */
function twin({ mark, made, other }: SettledParts) {
  return definition({ Name: `twin ${other}`, Service: { Service: `${mark}${made}` } })
}

function templateOf(template: object, service: object = { Service: 'web' }): Settled['request'] {
  return ({ mark }) =>
    definition({ Name: `${mark}-`, Template: { Type: 'name_prefix_match', ...template }, Service: service })
}

function rendering(text: string): Settled['request'] {
  return templateOf({}, { Service: text })
}

function searchingTemplate(service: object): Settled['request'] {
  return templateOf({}, { Service: 'web', ...service })
}

/** For its own name the template is short enough; for a long one it is not. */
function grown(how: string, operation: string): Settled {
  return refused(
    `a template that grows with the name, ${how} for a long one`,
    ({ other }) => get(`/v1/query/${other}-${'x'.repeat(400)}/${operation}`),
    400,
    /the rendered query has more than 65536 characters/,
    { first: ({ other }) => rendering('${name.full}'.repeat(200))({ mark: other, other, made: '' }) },
  )
}

/** The service that this text becomes for the name `<prefix>one-two`. */
function rendered(text: string, becomes: string): Settled {
  const template = { Regexp: '-(o[a-z]*)-([a-z]*)$' }
  return {
    about: `the template ${text}`,
    first: ({ other }) => templateOf(template, { Service: text })({ mark: other, other, made: '' }),
    request: ({ other }) => get(`/v1/query/${other}-one-two/explain`),
    status: 200,
    says: new RegExp(`"Service":\\{"Service":"${becomes}"`),
    leaves: 'nothing',
  }
}

/** The tags that `${match(1)}` and `a` become for a name that the template's expression does not match. */
function tagged(about: string, template: object, becomes: string): Settled {
  const service = { Service: 'web', Tags: ['${match(1)}', 'a'] }
  return {
    about,
    first: ({ other }) => templateOf({ Regexp: '-(o[a-z]*)$', ...template }, service)({ mark: other, other, made: '' }),
    request: ({ other }) => get(`/v1/query/${other}-two/explain`),
    status: 200,
    says: new RegExp(`"Tags":${becomes}`),
    leaves: 'nothing',
  }
}
