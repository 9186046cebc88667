import { expect, test } from "vitest";
import { readSettings } from "../../packages/local/src/settings/settings.ts";

test.each([
  [undefined, []],
  [" ", []],
  ["hub.test", ["hub.test"]],
  [" Hub.Test , 192.168.1.7,,[fe80::1]", ["hub.test", "192.168.1.7", "[fe80::1]"]],
])("KEYHUB_HOSTS %j", (setting, hosts) => {
  expect(readSettings({ KEYHUB_HOSTS: setting }).hosts).toEqual(hosts);
});

test.each(["hub.test:80", "hub.test:8080", "https://hub.test", "a b", "hub.test/x", "a@b", "0x7f.1", "*"])(
  "KEYHUB_HOSTS %j is refused",
  (setting) => {
    expect(() => readSettings({ KEYHUB_HOSTS: `ok.test,${setting}` })).toThrow(/KEYHUB_HOSTS has a name/);
  },
);
