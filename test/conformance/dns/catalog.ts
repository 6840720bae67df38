/** What is registered before anything is asked: bodies of `PUT /v1/catalog/register`. */
export interface Registration {
  readonly Node: string
  readonly Address: string
  readonly NodeMeta?: Readonly<Record<string, string>>
  readonly Service?: object
  readonly Check?: object
}

const metadata = { rack: 'r7', 'rfc1035-txt': 'hello' }

const check = (id: string, status: string) => ({ CheckID: `c-${id}`, Name: 'c', ServiceID: id, Status: status })

/**
 * As the transcripts of the reference have it, and what each of its facts needs besides. Reference: dns.md#transcripts.
 */
export const registrations: readonly Registration[] = [
  {
    Node: 'd1',
    Address: '10.5.0.1',
    NodeMeta: metadata,
    Service: { ID: 'web1', Service: 'web', Tags: ['blue', 'v1'], Port: 80, Weights: { Passing: 10, Warning: 3 } },
    Check: check('web1', 'passing'),
  },
  {
    Node: 'd2',
    Address: '10.5.0.2',
    Service: {
      ID: 'web2',
      Service: 'web',
      Tags: ['v1', 'a.b', 'udp'],
      Port: 81,
      Address: '10.5.9.9',
      Weights: { Passing: 10, Warning: 3 },
    },
    Check: check('web2', 'warning'),
  },
  {
    Node: 'd3',
    Address: '10.5.0.3',
    Service: { ID: 'web3', Service: 'web', Port: 82 },
    Check: check('web3', 'critical'),
  },
  { Node: 'foo.bar', Address: '10.5.0.4' },
  { Node: 'Cap', Address: '10.5.0.5', Service: { Service: 'UpCase', Port: 5 } },
  { Node: 'd6', Address: 'fd00::6', Service: { Service: 'six', Port: 6 } },
  { Node: 'd7', Address: '10.5.0.7', Service: { Service: 'seven', Port: 7, Address: 'fd00::7' } },
  { Node: 'far', Address: 'host.example.org', Service: { Service: 'ext', Port: 443 } },
  { Node: 'alias', Address: 'd1.node.svc', Service: { Service: 'inner', Port: 9 } },
  {
    Node: 'd1',
    Address: '10.5.0.1',
    NodeMeta: metadata,
    Service: { Service: 'self', Port: 1, Address: 'self.service.svc' },
  },
  { Node: 'd2', Address: '10.5.0.2', Service: { Service: 'named', Port: 1, Address: 'named.example.org' } },
  {
    Node: 'd1',
    Address: '10.5.0.1',
    NodeMeta: metadata,
    Service: { ID: 'm1', Service: 'mixed', Port: 1, Address: 'mixed.example.org' },
  },
  { Node: 'd2', Address: '10.5.0.2', Service: { ID: 'm2', Service: 'mixed', Port: 1 } },
  { Node: 'd2', Address: '10.5.0.2', Service: { ID: 'dup1', Service: 'dup', Port: 1 } },
  { Node: 'd2', Address: '10.5.0.2', Service: { ID: 'dup2', Service: 'dup', Port: 1 } },
  { Node: 'd2', Address: '10.5.0.2', Service: { ID: 'dup3', Service: 'dup', Port: 2 } },
  { Node: 'sick', Address: '10.5.0.8', Check: { CheckID: 'n', Name: 'n', Status: 'critical' } },
  { Node: 'sick', Address: '10.5.0.8', Service: { Service: 'nursed', Port: 1 } },
  {
    Node: 'd1',
    Address: '10.5.0.1',
    NodeMeta: metadata,
    Service: { ID: 'other', Service: 'other', Port: 1 },
    Check: check('other', 'critical'),
  },
  {
    Node: 'd2',
    Address: '10.5.0.2',
    Service: { ID: 'warn', Service: 'warns', Port: 1 },
    Check: check('warn', 'warning'),
  },
  { Node: 'bad_name', Address: '10.5.0.9', Service: { Service: 'under_score', Port: 1 } },
  { Node: 'a1', Address: '10.5.1.1', Service: { Service: 'api-1', Port: 1 } },
  { Node: 'a1', Address: '10.5.1.1', Service: { Service: 'api-x1', Port: 1 } },
  { Node: 'a1', Address: '10.5.1.1', Service: { Service: 'zed', Port: 1 } },
  ...Array.from({ length: 30 }, (_none, at) => ({
    Node: `k${at + 1}`,
    Address: `10.6.0.${at + 1}`,
    NodeMeta: { n: `k${at + 1}` },
    Service: { Service: 'many', Port: 8000 + at },
  })),
]

/** Bodies of `POST /v1/query`. */
export const queries: readonly object[] = [
  { Name: 'find', Service: { Service: 'web', OnlyPassing: true }, DNS: { TTL: '12s' } },
  { Name: 'dotted.find', Service: { Service: 'web', Tags: ['blue'] } },
  { Name: 'nobody', Service: { Service: 'nope' } },
]
