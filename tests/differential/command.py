import sys, tempfile, time
from pathlib import Path
from contextlib import contextmanager
from tests.released.releases import RELEASES
from tests.released.controller import released_controller
from tests.differential.generate import draw_sequence
from tests.differential.judge import Bench, Witness
from tests.differential.sides import ReleasedSide, OurSide
from tests.differential.settings import RELEASED_SETTINGS

CLUSTER="abcdefghijklmnopqrst4A"

@contextmanager
def bench(release):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as d, released_controller(release, Path(d), cluster_id=CLUSTER, settings=RELEASED_SETTINGS) as c:
        side=ReleasedSide(c)
        k=Witness(side)
        for _ in range(2000):
            if 3000 in k.history.controllers: break
            c.process.poll(); time.sleep(0.01)
            k.history.follow(side.appended())
        yield Bench(k, Witness(OurSide(c)))

def main():
    release=RELEASES[sys.argv[1]]
    seed=int(sys.argv[2]); first=int(sys.argv[3]); last=int(sys.argv[4])
    n=first; found={}
    t=time.time(); asked=0; failed=-9
    while n<last:
        with bench(release) as b:
            if b.kafka.history.end_offset != b.ours.history.end_offset: print("start", b.kafka.history.end_offset, b.ours.history.end_offset)
            while n<last:
                s=draw_sequence(release, CLUSTER, seed, n); n+=1
                mm=b.judge(s)
                asked+=len(s.every_step)
                if mm:
                    key=(mm[0].api, mm[0].path, str(mm[0].kafka)[:40], str(mm[0].ours)[:40])
                    found.setdefault(key,[]).append((n-1,mm))
                    if len(found[key])==1:
                        print(n-1, *mm[:4], sep="\n   "); print("      ", s.every_step[mm[0].step].to_json())
                    for i,st in enumerate(s.every_step[mm[0].step+1:]):
                        try: b.compare(i, st)
                        except Exception as e: print("CRASH", e)
                    if failed==n-2: break
                    failed=n-1
    print(n-first, "sequences", asked, "asked", time.time()-t, "s")
    for k,v in sorted(found.items(), key=lambda kv:-len(kv[1])): print(len(v), k, v[0][0])
