"""A desktop's half for tests, on the session bus of the environment: it watches for tray icons and shows
notifications, as a panel does. Commands come as JSON lines on standard input, what happens goes out the same way.

  {"do": "state"} -> {"tooltip", "menu": [labels, submenus as "A > B"], "icon": [width, height, bytes as hex]}
  {"do": "click", "path": ["Last runs", "…"]}      a menu entry, by its label or the beginning of it
  {"do": "activate"}                               the icon itself
  {"do": "click-notification", "index": 0}
"""
import json
import os
import sys

from gi.repository import Gio, GLib

WATCHER = 'org.kde.StatusNotifierWatcher'
NOTES = 'org.freedesktop.Notifications'
XML = f'''<node>
<interface name="{WATCHER}">
  <method name="RegisterStatusNotifierItem"><arg type="s" direction="in"/></method>
  <method name="RegisterStatusNotifierHost"><arg type="s" direction="in"/></method>
  <property name="RegisteredStatusNotifierItems" type="as" access="read"/>
  <property name="IsStatusNotifierHostRegistered" type="b" access="read"/>
  <property name="ProtocolVersion" type="i" access="read"/>
</interface>
<interface name="{NOTES}">
  <method name="GetCapabilities"><arg type="as" direction="out"/></method>
  <method name="GetServerInformation">
    <arg type="s" direction="out"/><arg type="s" direction="out"/><arg type="s" direction="out"/><arg type="s" direction="out"/>
  </method>
  <method name="Notify">
    <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="in"/><arg type="as" direction="in"/><arg type="a{{sv}}" direction="in"/><arg type="i" direction="in"/>
    <arg type="u" direction="out"/>
  </method>
  <method name="CloseNotification"><arg type="u" direction="in"/></method>
</interface>
</node>'''
ITEM = 'org.kde.StatusNotifierItem'
MENU = 'com.canonical.dbusmenu'

bus = Gio.bus_get_sync(Gio.BusType.SESSION)
loop = GLib.MainLoop()
items = []
notes = []


def tell(**what):
    sys.stdout.write(json.dumps(what) + '\n')
    sys.stdout.flush()


def on_call(_bus, sender, _path, _interface, method, arguments, invocation):
    values = arguments.unpack()
    if method == 'RegisterStatusNotifierItem':
        given = values[0]
        items.append((sender, given if given.startswith('/') else '/StatusNotifierItem'))
        tell(event='item')
        invocation.return_value(None)
    elif method == 'GetCapabilities':
        invocation.return_value(GLib.Variant('(as)', (['body', 'actions'],)))
    elif method == 'GetServerInformation':
        invocation.return_value(GLib.Variant('(ssss)', ('test', 'test', '1', '1.2')))
    elif method == 'Notify':
        notes.append(sender)
        tell(event='notification', title=values[3], body=values[4], actions=list(values[5]))
        invocation.return_value(GLib.Variant('(u)', (len(notes),)))
    else:
        invocation.return_value(None)


def on_get(_bus, _sender, _path, _interface, name):
    if name == 'RegisteredStatusNotifierItems':
        return GLib.Variant('as', [sender + path for sender, path in items])
    if name == 'IsStatusNotifierHostRegistered':
        return GLib.Variant('b', True)
    return GLib.Variant('i', 0)


def call(destination, path, interface, method, arguments=None):
    reply = bus.call_sync(destination, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, 5000, None)
    return reply.unpack()


def item():
    """The last one that registered and still lives."""
    for sender, path in reversed(items):
        if call('org.freedesktop.DBus', '/', 'org.freedesktop.DBus', 'NameHasOwner', GLib.Variant('(s)', (sender,)))[0]:
            return sender, path
    raise RuntimeError('no tray icon is registered')


def prop(sender, path, name):
    return call(sender, path, 'org.freedesktop.DBus.Properties', 'Get', GLib.Variant('(ss)', (ITEM, name)))[0]


def layout():
    sender, path = item()
    where = prop(sender, path, 'Menu')
    tree = call(sender, where, MENU, 'GetLayout', GLib.Variant('(iias)', (0, -1, [])))[1]
    return sender, where, tree


def label_of(node):
    """As it is shown: a single underscore marks a key."""
    text = node[1].get('label', '')
    return text.replace('__', '\0').replace('_', '').replace('\0', '_')


def labels(node, above=''):
    found = []
    for child in node[2]:
        if child[1].get('type') == 'separator':
            continue
        name = above + label_of(child)
        found.append(name)
        found.extend(labels(child, name + ' > '))
    return found


def click(wanted):
    sender, where, node = layout()
    for part in wanted:
        node = next(child for child in node[2] if label_of(child).startswith(part))
    if not node[1].get('enabled', True):
        raise RuntimeError('this entry cannot be clicked')
    call(sender, where, MENU, 'Event', GLib.Variant('(isvu)', (node[0], 'clicked', GLib.Variant('i', 0), 0)))


def obey(command):
    if command['do'] == 'state':
        sender, path = item()
        pixmap = prop(sender, path, 'IconPixmap')
        biggest = max(pixmap, key=lambda one: one[0]) if pixmap else (0, 0, [])
        icon = [biggest[0], biggest[1], bytes(biggest[2]).hex()]
        return {'tooltip': prop(sender, path, 'ToolTip')[2], 'menu': labels(layout()[2]), 'icon': icon}
    if command['do'] == 'click':
        click(command['path'])
    elif command['do'] == 'activate':
        sender, path = item()
        call(sender, path, ITEM, 'Activate', GLib.Variant('(ii)', (0, 0)))
    elif command['do'] == 'click-notification':
        number = command['index'] + 1
        action = GLib.Variant('(us)', (number, 'default'))
        bus.emit_signal(notes[number - 1], '/org/freedesktop/Notifications', NOTES, 'ActionInvoked', action)
    return {}


def on_input(channel, _condition):
    line = channel.readline()
    if not line:
        loop.quit()
        return False
    try:
        tell(answer=obey(json.loads(line)))
    except Exception as error:  # told to the test, which fails by it
        tell(error=f'{type(error).__name__}: {error}')
    return True


def main():
    node = Gio.DBusNodeInfo.new_for_xml(XML)
    for path, interface in (('/StatusNotifierWatcher', node.interfaces[0]), ('/org/freedesktop/Notifications', node.interfaces[1])):
        bus.register_object(path, interface, on_call, on_get, None)
    for name in os.environ.get('TRAY_HOST_NAMES', f'{WATCHER} {NOTES}').split():
        Gio.bus_own_name_on_connection(bus, name, Gio.BusNameOwnerFlags.NONE, None, None)
    channel = GLib.IOChannel.unix_new(0)
    GLib.io_add_watch(channel, GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, on_input)
    GLib.idle_add(lambda: tell(event='ready'))
    loop.run()


main()
