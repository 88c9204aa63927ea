from tests.differential.command import main

raise SystemExit(main())
