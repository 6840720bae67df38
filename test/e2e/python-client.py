"""Flows of a client of the field that knows nothing of this product: Debian's python3-consul. Argument: the HTTP port."""

import sys
import threading

import consul
import consul.base
import requests

# Methods that were called, and every method that this package has, both as Class.method.
called = set()
methods = set()


def watched(owner, name, method):
    """The method, which says that it was called."""
    full = owner.__qualname__ + '.' + name

    def calling(*args, **named):
        called.add(full)
        return method(*args, **named)

    methods.add(full)
    return calling


def watch(owner):
    for name, member in list(vars(owner).items()):
        if isinstance(member, type):
            watch(member)
        elif not name.startswith('_') and isinstance(member, (type(watch), classmethod)):
            is_of_class = isinstance(member, classmethod)
            made = watched(owner, name, member.__func__ if is_of_class else member)
            setattr(owner, name, classmethod(made) if is_of_class else made)


for owner in (consul.base.Consul, consul.base.Check):
    watch(owner)

c = consul.Consul(host='127.0.0.1', port=int(sys.argv[1]))
others = consul.Consul(host='127.0.0.1', port=int(sys.argv[1]), consistency='stale')


def eventually(what, ask):
    index = None
    for _ in range(50):
        index, value = ask(index)
        if value:
            return value
    raise AssertionError(what)


def put(path):
    """Where this client still asks with GET, as was right before release 1.0, the field's newer agents refuse it, and so do we."""
    return requests.put('http://127.0.0.1:' + sys.argv[1] + path, timeout=30).status_code == 200


def status():
    assert c.status.leader().endswith(':' + sys.argv[2]), c.status.leader()
    assert c.status.peers() == [c.status.leader()]


def agent():
    assert c.agent.self()['Member']['Name'] == 'n1'
    assert [member['Name'] for member in c.agent.members()] == ['n1']
    assert c.agent.service.register(
        'web', service_id='web-1', port=8080, tags=['v1', 'blue'], check=consul.Check.ttl('60s')
    )
    assert c.agent.services()['web-1']['Tags'] == ['v1', 'blue']
    assert c.agent.check.ttl_pass('service:web-1', 'well') is False
    assert put('/v1/agent/check/pass/service:web-1?note=well')
    assert c.agent.checks()['service:web-1']['Output'] == 'well'
    assert c.agent.check.register('disk', consul.Check.ttl('30s'), check_id='disk')
    assert c.agent.check.ttl_warn('disk') is False and c.agent.check.ttl_fail('disk') is False
    assert put('/v1/agent/check/warn/disk')
    assert c.agent.checks()['disk']['Status'] == 'warning'
    assert c.agent.check.deregister('disk') is False
    assert put('/v1/agent/check/deregister/disk')
    assert 'disk' not in c.agent.checks()
    kinds()
    assert c.agent.service.register('short') and 'short' in c.agent.services()
    assert c.agent.service.deregister('short') is False
    assert put('/v1/agent/service/deregister/short')
    assert 'short' not in c.agent.services()
    assert c.agent.join('127.0.0.1') is False and c.agent.force_leave('nobody') is False
    assert c.agent.maintenance(True, 'by hand')
    assert '_node_maintenance' in c.agent.checks()
    assert c.agent.maintenance(False)


def kinds():
    """Checks of each kind. Where scripts are off, and for the member `script` of old, an agent of the field refuses them."""
    port = int(sys.argv[1])
    leader = 'http://127.0.0.1:%d/v1/status/leader' % port
    assert c.agent.check.register('http', consul.Check.http(leader, '10s', timeout='2s', deregister='1h'))
    assert c.agent.check.register('tcp', consul.Check.tcp('127.0.0.1', port, '10s', timeout='2s'))
    for old in (consul.Check.script('true', '10s'), consul.Check.docker('id', '/bin/sh', 'true', '10s')):
        try:
            c.agent.check.register('old', old)
            raise AssertionError('registered', old)
        except consul.base.BadRequest as refusal:
            assert 'Invalid check' in str(refusal), refusal
    assert {'http', 'tcp'} <= set(c.agent.checks()) and 'old' not in c.agent.checks()
    for name in ('http', 'tcp'):
        assert put('/v1/agent/check/deregister/' + name)


def catalog():
    web = eventually('web is in the catalog', lambda index: c.catalog.service('web', index=index, wait='2s'))
    assert [(one['Node'], one['ServicePort']) for one in web] == [('n1', 8080)]
    assert c.catalog.register('ext', '10.9.9.9', service={'Service': 'db', 'Port': 5432, 'Tags': ['master']})
    assert 'ext' in [node['Node'] for node in c.catalog.nodes()[1]]
    assert c.catalog.services()[1]['db'] == ['master']
    assert c.catalog.node('ext')[1]['Services']['db']['Port'] == 5432
    assert c.catalog.service('db', tag='slave')[1] == []
    assert c.catalog.datacenters() == ['dc1']
    assert c.catalog.deregister('ext')
    assert c.catalog.node('ext')[1] is None


def health():
    passing = eventually(
        'web passes', lambda index: c.health.service('web', passing=True, tag='blue', index=index, wait='2s')
    )
    assert passing[0]['Service']['ID'] == 'web-1'
    assert 'serfHealth' in [check['CheckID'] for check in c.health.node('n1')[1]]
    assert [check['CheckID'] for check in c.health.checks('web')[1]] == ['service:web-1']
    assert c.health.state('critical')[1] == []


def keys():
    assert c.kv.get('absent')[1] is None
    assert c.kv.put('app/a', 'one', flags=7)
    index, value = c.kv.get('app/a')
    assert (value['Value'], value['Flags'], value['Key']) == (b'one', 7, 'app/a')
    assert c.kv.put('app/a', 'two', cas=0) is False
    assert c.kv.put('app/a', 'two', cas=value['ModifyIndex']) is True
    assert c.kv.put('app/b', '')
    assert [one['Key'] for one in c.kv.get('app/', recurse=True)[1]] == ['app/a', 'app/b']
    assert c.kv.get('app', keys=True, separator='/')[1] == ['app/']
    assert others.kv.get('app/a')[1]['Value'] == b'two'
    heard = []
    index, _ = c.kv.get('app/a')
    waiting = threading.Thread(target=lambda: heard.append(c.kv.get('app/a', index=index, wait='60s')))
    waiting.start()
    assert c.kv.put('app/a', 'three')
    waiting.join(30)
    assert heard[0][1]['Value'] == b'three' and int(heard[0][0]) > int(index)
    assert c.kv.delete('app/', recurse=True)
    assert c.kv.get('app/', recurse=True)[1] is None


def sessions():
    first = c.session.create(name='first', ttl=10, lock_delay=1)
    second = c.session.create(name='second', behavior='delete', lock_delay=0)
    assert c.session.info(first)[1]['Name'] == 'first'
    assert sorted(one['ID'] for one in c.session.list()[1]) == sorted([first, second])
    assert [one['ID'] for one in c.session.node('n1')[1]]
    assert c.session.renew(first)['ID'] == first
    assert c.kv.put('lock', 'mine', acquire=first) is True
    assert c.kv.put('lock', 'not mine', acquire=second) is False
    held = c.kv.get('lock')[1]
    assert (held['Session'], held['LockIndex'], held['Value']) == (first, 1, b'mine')
    assert c.kv.put('lock', 'free', release=first) is True
    assert 'Session' not in c.kv.get('lock')[1]
    assert c.kv.put('short', 'lived', acquire=second) is True
    assert c.session.destroy(second)
    assert c.kv.get('short')[1] is None
    assert c.session.destroy(first)
    assert c.session.list()[1] == []


def maintenance():
    assert c.agent.service.maintenance('web-1', 'true', 'by hand')
    assert c.agent.checks()['_service_maintenance:web-1']['Notes'] == 'by hand'
    assert c.health.service('web', passing=True)[1] == []
    assert c.agent.service.maintenance('web-1', 'false')
    assert c.agent.checks().get('_service_maintenance:web-1') is None


def events():
    name = c.event.fire('deploy', b'v2', node='n.*')
    assert name['Name'] == 'deploy' and name['NodeFilter'] == 'n.*'
    heard = eventually('the event is heard', lambda index: c.event.list(name='deploy', index=index, wait='2s'))
    assert [(one['ID'], one['Payload']) for one in heard] == [(name['ID'], b'v2')]


def queries():
    made = c.query.create('web', 'find-web', onlypassing=True, tags=['blue'], ttl='10s')['ID']
    assert c.query.get(made)[0]['Service']['Tags'] == ['blue']
    assert [one['Name'] for one in c.query.list()] == ['find-web']
    found = c.query.execute('find-web')
    assert [one['Service']['ID'] for one in found['Nodes']] == ['web-1'] and found['DNS']['TTL'] == '10s'
    assert c.query.explain('find-web')['Query']['Service']['Service'] == 'web'
    assert c.query.update(made, 'web', 'find-web', tags=['green'])
    assert c.query.execute('find-web')['Nodes'] == []
    assert c.query.delete(made)
    assert c.query.list() == []


def places():
    assert c.coordinate.datacenters()[0]['Datacenter'] == 'dc1'
    assert [one['Node'] for one in c.coordinate.nodes()[1]] in ([], ['n1'])
    servers = c.operator.raft_config()['Servers']
    assert [(one['Node'], one['Leader'], one['Voter']) for one in servers] == [('n1', True, True)]
    assert c.agent.force_leave('nobody') in (True, False)
    assert c.health.service('web', near='_agent', wait='1s')[1][0]['Node']['Node'] == 'n1'
    assert c.catalog.nodes(near='n1', consistency='consistent')[1]


def access():
    """Legacy tokens, the only ones that this client knows; the agent is one of its own, with access control."""
    a = consul.Consul(host='127.0.0.1', port=int(sys.argv[3]), token='master')
    nobody = consul.Consul(host='127.0.0.1', port=int(sys.argv[3]))
    made = a.acl.create(name='reader', type='client', rules='key "open/" { policy = "write" }')
    assert a.acl.info(made)['Name'] == 'reader'
    assert made in [one['ID'] for one in a.acl.list()]
    reader = consul.Consul(host='127.0.0.1', port=int(sys.argv[3]), token=made)
    assert reader.kv.put('open/a', '1')
    try:
        nobody.kv.put('open/a', '2')
        raise AssertionError('written without a token')
    except consul.ACLPermissionDenied:
        pass
    copy = a.acl.clone(made)
    assert a.acl.info(copy)['Rules'] == a.acl.info(made)['Rules']
    a.acl.update(made, name='renamed', rules='key "open/" { policy = "read" }')
    assert a.acl.info(made)['Name'] == 'renamed'
    assert a.acl.destroy(copy)
    assert a.acl.info(copy) is None
    try:
        nobody.acl.list()
        raise AssertionError('listed without a token')
    except consul.ACLPermissionDenied:
        pass


def every_method():
    """A method that the package gets with a later release is named here until a flow calls it."""
    assert methods - called == set(), sorted(methods - called)
    assert len(methods) > 50, methods


for flow in (status, agent, catalog, health, keys, sessions, maintenance, events, queries, places, access, every_method):
    flow()
    print(flow.__name__)
