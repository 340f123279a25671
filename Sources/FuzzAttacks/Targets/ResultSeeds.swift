/// Result files from which inputs are generated, each on one line.
enum ResultSeeds {
    static let matrix = #"""
        {"axis":"policy","columns":[{"id":"error","title":"error"},{"id":"object-trump","title":\#
        "object trump"}],"header":{"formatVersion":1,"kind":"faultline.matrix"},"rows":[{"cells"\#
        :[{"classification":{"code":133020,"kind":"error"},"reason":"the second save is refused"\#
        ,"text":"moods = 2","verdict":"passed"},{"classification":{"kind":"silently-lost"},"reas\#
        on":"the policy cannot add","text":"moods = 2 | f2 <ok>","token":"lab1:mb-09-count@1a2b3\#
        c4d:policy=object-trump:f1 r1 r2 f2","transcript":"mb-09-object-trump","verdict":"passed\#
        "}],"file":"Scenarios/merge-bugs/mb-09-count.yaml","id":"MB-09","references":["https://g\#
        ithub.com/objcio/core-data","Apple's header"],"scenario":"mb-09-count","sentence":"Two i\#
        nserts leave a count of 3 <not 2>."}],"title":"Merge bugs by policy","transcripts":[{"id\#
        ":"mb-09-object-trump","text":"step f1 on C1: insert Mood; set k.moods = 2\nstep r1 on C\#
        2: insert Mood; set k.moods = 2\nstep r2 on C2: save -> ok\nstep f2 on C1: save -> ok\nS\#
        TATE k.moods = 2 (a < b && \"c\")\n","timeline":{"lanes":[{"detail":"private queue, poli\#
        cy objectTrump","kind":"context","name":"C1"},{"detail":"main queue, merges automaticall\#
        y","kind":"context","name":"V"},{"detail":"","kind":"mailbox","name":"queue of V"},{"det\#
        ail":"","kind":"store","name":"store"}],"start":[[{"mark":"version 1, changed","name":"k\#
        ","values":["moods = 2"]}],[{"mark":"fault","name":"k","values":[]}],[],[{"mark":"versio\#
        n 1","name":"k","values":["moods = 1","name = \"</script>\""]}]],"steps":[{"changes":[{"\#
        items":[{"mark":"version 2","name":"k","values":["moods = 2"]}],"lane":0},{"items":[{"ma\#
        rk":"waits","name":"~m(C1→V)","values":[]}],"lane":2},{"items":[{"mark":"version 2","nam\#
        e":"k","values":["moods = 2","name = \"</script>\""]},{"mark":"version 1","name":"m","va\#
        lues":["note = nil"]}],"lane":3}],"lane":0,"lines":[{"isDetail":false,"text":"save  → ok\#
        "},{"isDetail":true,"text":"k is version 2: a < b"}],"name":"f2","session":"first","sql"\#
        :["UPDATE ZK SET ZMOODS = ? WHERE Z_PK = ? AND Z_OPT = ? -- <1>"]},{"changes":[{"items":\#
        [],"lane":1},{"items":[],"lane":2}],"lane":1,"lines":[{"isDetail":false,"text":"merge f2\#
         of C1"}],"name":"~m(C1→V)","sql":[]}]},"title":"MB-09 under object trump","token":"lab1\#
        :mb-09-count@1a2b3c4d:policy=object-trump:f1 r1 r2 f2"}],"variants":[{"rows":[{"cells":[\#
        {"mark":"E","text":""},{"mark":"L","text":"moods = 2"}],"id":"MB-09"},{"cells":[{"mark":\#
        "P","text":""},{"mark":"–","text":""}],"id":"MB-23"}],"sample":25,"store":"sqlite","topo\#
        logy":"as written"}]}
        """#

    static let bench = #"""
        {"environment":{"build":"release","cores":2,"cpu":"Example CPU","machine":"x86_64 virtua\#
        l machine","memoryBytes":8589934592,"operatingSystem":"Debian 12","sqlite":"3.40.1","swi\#
        ft":"6.3.1"},"header":{"formatVersion":1,"kind":"faultline.bench"},"preset":"quick","res\#
        ults":[{"file":"Workloads/prefetch.yaml","parameters":[{"name":"authors","value":"1000"}\#
        ,{"name":"books","value":"100"}],"sentence":"Reading author.books.count for every author\#
        .","strategies":[{"checksum":"c0ffee","counts":{"faults":1000,"prefetches":0,"relationsh\#
        ipFaults":1000,"rowCacheHits":0,"rows":101000,"statements":{"select":1001},"vmSteps":234\#
        5678},"expectations":[{"count":"select","expected":1001,"expression":"authors + 1","seen\#
        ":1001}],"name":"n-plus-one","notes":[],"peakMemoryBytes":12345678,"sentence":"Reads the\#
         count through n-plus-one.","statements":[{"count":1000,"kind":"select","text":"SELECT 0\#
        , t0.Z_PK FROM ZBOOK t0 WHERE t0.ZAUTHOR = ? AND t0.ZA < ?"},{"count":1,"kind":"select",\#
        "text":"SELECT 0 FROM ZAUTHOR"}],"time":{"highNanoseconds":92000000,"lowNanoseconds":890\#
        00000,"medianNanoseconds":90000000,"samplesNanoseconds":[89000000,90000000,92000000]},"t\#
        win":{"checksum":"c0ffee","ratio":{"high":3.2,"low":2.9,"median":3},"rows":101000,"sente\#
        nce":"The same statements, prepared once.","statements":[{"count":1001,"kind":"select","\#
        text":"SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE t0.ZAUTHOR = ? AND t0.ZA < ?"}],"time":{"hi\#
        ghNanoseconds":32000000,"lowNanoseconds":29000000,"medianNanoseconds":30000000,"samplesN\#
        anoseconds":[29000000,30000000,32000000]},"vmSteps":2000000}},{"checksum":"c0ffee","coun\#
        ts":{"faults":1000,"prefetches":0,"relationshipFaults":1,"rowCacheHits":0,"rows":101000,\#
        "statements":{"select":2},"vmSteps":2345678},"expectations":[{"count":"select","expected\#
        ":1001,"expression":"authors + 1","seen":2}],"name":"prefetch","notes":[],"peakMemoryByt\#
        es":12345678,"sentence":"Reads the count through prefetch.","statements":[{"count":1,"ki\#
        nd":"select","text":"SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE t0.ZAUTHOR = ? AND t0.ZA < ?"\#
        },{"count":1,"kind":"select","text":"SELECT 0 FROM ZAUTHOR"}],"time":{"highNanoseconds":\#
        14000000,"lowNanoseconds":11000000,"medianNanoseconds":12000000,"samplesNanoseconds":[11\#
        000000,12000000,14000000]},"twin":{"checksum":"c0ffee","ratio":{"high":3.2,"low":2.9,"me\#
        dian":3},"rows":101000,"sentence":"The same statements, prepared once.","statements":[{"\#
        count":2,"kind":"select","text":"SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE t0.ZAUTHOR = ? AN\#
        D t0.ZA < ?"}],"time":{"highNanoseconds":6000000,"lowNanoseconds":3000000,"medianNanosec\#
        onds":4000000,"samplesNanoseconds":[3000000,4000000,6000000]},"vmSteps":2000000}}],"work\#
        load":"prefetch"}],"seed":7,"timeBudget":{"floor":3,"most":5,"seconds":60,"spentSeconds"\#
        :72.5}}
        """#

    static let run = #"""
        {"header":{"formatVersion":1,"kind":"faultline.run"},"scenarios":[{"cell":[{"axis":"poli\#
        cy","value":"object-trump"}],"file":"Scenarios/merge-bugs/mb-09-count.yaml","findings":[\#
        {"adya":"G2-item","evidence":["C1 read k.moods = 1 @1","C2 wrote k.moods = 2 @2"],"id":"\#
        F1","name":"lost update","prose":"C1 wrote moods from a value that C2 had replaced.","to\#
        ken":"lab1:mb-09-count@1a2b3c4d:policy=object-trump:f1 r1 r2 f2","transcript":"mb-09-obj\#
        ect-trump"}],"mode":"explore","name":"mb-09-count","outcomes":[{"count":20,"findings":[]\#
        ,"grade":"acceptable","observed":[{"name":"moods","value":"3"}],"reason":"both are count\#
        ed"},{"count":50,"findings":["F1"],"grade":"defect","observed":[{"name":"moods","value":\#
        "2"},{"name":"f2","value":"ok"}],"reason":"one | insert is not counted","token":"lab1:mb\#
        -09-count@1a2b3c4d:policy=object-trump:f1 r1 r2 f2","transcript":"mb-09-object-trump"}],\#
        "reasons":[],"references":["https://github.com/objcio/core-data","Apple's header"],"sche\#
        dules":{"explored":70,"predicted":70,"strategy":"exhaustive"},"sentence":"Two inserts le\#
        ave a count of 3 <not 2>.","transcripts":[{"id":"mb-09-object-trump","text":"step f1 on\#
         C1: insert Mood; set k.moods = 2\nstep r1 on C2: insert Mood; set k.moods = 2\nstep r2\#
         on C2: save -> ok\nstep f2 on C1: save -> ok\nSTATE k.moods = 2 (a < b && \"c\")\n","ti\#
        meline":{"lanes":[{"detail":"private queue, policy objectTrump","kind":"context","name":\#
        "C1"},{"detail":"main queue, merges automatically","kind":"context","name":"V"},{"detail\#
        ":"","kind":"mailbox","name":"queue of V"},{"detail":"","kind":"store","name":"store"}],\#
        "start":[[{"mark":"version 1, changed","name":"k","values":["moods = 2"]}],[{"mark":"fau\#
        lt","name":"k","values":[]}],[],[{"mark":"version 1","name":"k","values":["moods = 1","n\#
        ame = \"</script>\""]}]],"steps":[{"changes":[{"items":[{"mark":"version 2","name":"k","\#
        values":["moods = 2"]}],"lane":0},{"items":[{"mark":"waits","name":"~m(C1→V)","values":[\#
        ]}],"lane":2},{"items":[{"mark":"version 2","name":"k","values":["moods = 2","name = \"<\#
        /script>\""]},{"mark":"version 1","name":"m","values":["note = nil"]}],"lane":3}],"lane"\#
        :0,"lines":[{"isDetail":false,"text":"save  → ok"},{"isDetail":true,"text":"k is version\#
         2: a < b"}],"name":"f2","session":"first","sql":["UPDATE ZK SET ZMOODS = ? WHERE Z_PK =\#
         ? AND Z_OPT = ? -- <1>"]},{"changes":[{"items":[],"lane":1},{"items":[],"lane":2}],"lan\#
        e":1,"lines":[{"isDetail":false,"text":"merge f2 of C1"}],"name":"~m(C1→V)","sql":[]}]},\#
        "title":"MB-09 under object trump","token":"lab1:mb-09-count@1a2b3c4d:policy=object-trum\#
        p:f1 r1 r2 f2"}],"verdict":"passed"},{"cell":[],"file":"Scenarios/tour/account.yaml","fi\#
        ndings":[],"mode":"explore","name":"tour-account","outcomes":[{"count":5000,"findings":[\#
        ],"grade":"unmatched","observed":[{"name":"balance","value":"nil"}],"reason":"no line of\#
         the file matches","token":"lab1:tour@0:*:a b"}],"reasons":["an outcome matches no line:\#
         (balance = nil)"],"references":[],"schedules":{"explored":5000,"predicted":12600,"stopp\#
        edAt":"--limit 5000","strategy":"exhaustive"},"sentence":"An account keeps every edit.",\#
        "transcripts":[],"verdict":"failed"},{"cell":[],"file":"Scenarios/real/bookmarks.yaml","\#
        findings":[],"mode":"run","name":"bookmarks","outcomes":[],"reasons":["the fixtures fold\#
        er is absent"],"references":[],"schedules":{"explored":0,"strategy":"as written"},"sente\#
        nce":"A copy of a real store stays whole.","transcripts":[],"verdict":"skipped"}]}
        """#
}
